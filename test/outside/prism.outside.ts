import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Exchange } from '../support/clients/exchanges.ts'
import { useFolder } from '../support/folder.ts'
import { listen } from '../support/servers/loopback.ts'
import { root } from '../support/sources.ts'

interface Violation {
  location: string[]
  message: string
}

const folder = useFolder()

it('Prism finds no breach of the document in any exchange of the REST requirement suite', {
  timeout: 900_000,
}, async () => {
  const file = folder.file('exchanges.jsonl')
  expect(await runRequirements(file)).toBe(0)
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  const exchanges = lines.map((line) => JSON.parse(line) as Exchange).filter(isForPrism)
  const breaches: unknown[] = []
  let held = 0
  await throughPrism(exchanges, ({ method, target, body, status }, violations) => {
    if (violations.some(({ message }) => /^(Route not resolved|Selected route not found)/.test(message))) return
    held++
    const ofAnswer = violations.filter(({ location }) => location[0] === 'response')
    const ofRequest =
      status === 200 && !isLenient(target, body) ? violations.filter(({ location }) => location[0] === 'request') : []
    for (const violation of [...ofAnswer, ...ofRequest]) breaches.push({ method, target, body, status, violation })
  })
  expect(held).toBeGreaterThan(1000)
  expect(breaches).toEqual([])
})

/**
 * Prism changes bodies that are JSON but neither list nor object, and never answers a body that is no JSON or has an
 * unknown charset. The service refuses all of those, and the suite itself holds these answers against their shapes.
 */
function isForPrism({ method, headers, body, status }: Exchange): boolean {
  if (method === 'OPTIONS') return false
  const isTyped = /^[\w.+-]+\/[\w.+-]+\s*(;\s*charset="?utf-8"?)?$/i.test(headers['content-type'] ?? 'none/none')
  return status === 200 || (isTyped && (body === undefined || isJson(body)))
}

function isJson(body: string): boolean {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

/**
 * Requests that the service accepts although the document does not: empty values, which count as absent; 0 and 1 for
 * booleans; an empty object as the body of an operation without a body.
 */
function isLenient(target: string, body: string | undefined): boolean {
  return body === '{}' || /[?&][^=&]*=?(&|$)|=[01](&|$)/.test(target)
}

/** Runs the requirements and records their exchanges. */
function runRequirements(file: string): Promise<number | null> {
  const env = { ...process.env, EXCHANGES: file, VITEST: undefined }
  const run = spawn(join(root, 'node_modules/.bin/vitest'), ['run', '--project', 'spec'], {
    cwd: root,
    env,
    stdio: 'ignore',
  })
  return new Promise((resolve) => run.on('exit', resolve))
}

/** Sends each request through Prism to a server that repeats the recorded answer. */
async function throughPrism(
  exchanges: Exchange[],
  each: (exchange: Exchange, violations: Violation[]) => void,
): Promise<void> {
  let current: Exchange | undefined
  const upstream = createServer((incoming, outgoing) => {
    incoming.resume()
    outgoing.writeHead(current?.status ?? 500, current?.answerHeaders)
    outgoing.end(current?.answer)
  })
  const { startValidationProxy } = await import('../../tools/validation-proxy.js')
  const document = JSON.parse(await readFile(join(root, 'docs/openapi.json'), 'utf8'))
  const prism = await startValidationProxy(document, `http://127.0.0.1:${await listen(upstream)}`)
  for (const exchange of exchanges) {
    current = exchange
    const headers = await ask(prism.url, exchange)
    each(exchange, violationsIn(String(headers['sl-violations'] ?? '[]')))
  }
  await prism.close()
  upstream.closeAllConnections()
  upstream.close()
}

/** Prism truncates the header; violations of the request come first. */
function violationsIn(header: string): Violation[] {
  if (header.startsWith('[')) return JSON.parse(header)
  const whole =
    header.match(/\{"location":\[[^\]]*\],"severity":"\w+","code":"\w+","message":"(?:[^"\\]|\\.)*"\}/g) ?? []
  return whole.map((text) => JSON.parse(text))
}

function ask(url: string, { method, target, headers, body }: Exchange): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const outgoing = request(`${url}${target}`, { method, headers: { ...headers, ...length } }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.headers))
    })
    outgoing.setTimeout(30_000, () => outgoing.destroy(new Error(`Prism did not answer ${method} ${target}`)))
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
