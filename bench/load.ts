import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Result } from 'autocannon'
import { token } from './servers.ts'

/** A request, or several that are sent in turn. */
export interface Target {
  url: string
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  headers?: Record<string, string>
  body?: string
  requests?: { path: string; body?: string }[]
}

export interface Load {
  perSecond: number
  /** Latencies in ms. */
  p50: number
  p99: number
  requests: number
}

const generator = fileURLToPath(new URL('load-generator.ts', import.meta.url))

/** Sends requests at full speed from its own process. Throws on an answer other than 2xx or 304. */
export async function load(target: Target, connections: number, duration: number): Promise<Load> {
  const headers = { authorization: `Bearer ${token}`, ...target.headers }
  const child = spawn(process.execPath, [generator], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify({ ...target, headers, connections, duration, timeout: 30 }))
  const result = JSON.parse(await text(child.stdout)) as Result
  const bad = result.errors + result.timeouts + result['4xx'] + result['5xx']
  if (bad > 0) throw new Error(`${target.url}: ${bad} requests failed`)
  const { requests, latency } = result
  return { perSecond: requests.total / result.duration, p50: latency.p50, p99: latency.p99, requests: requests.total }
}
