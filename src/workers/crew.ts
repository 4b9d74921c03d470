import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import type { Logger } from 'pino'
import { type Line, openLine } from './line.ts'

/** What a worker is to do. */
export interface Order {
  /** Which of the workers it is, from 1. */
  number: number
  /** How it connects to the database, and how often at most. */
  connection: ClientConfig & { max: number }
}

/** The workers, each of which is replaced when it ends. */
export interface Crew {
  /** Where they answer. */
  url: string
  /** Lets all of them end their requests; throws when one did not end well. */
  stop(): Promise<void>
}

interface Member {
  worker: Worker
  line: Line
  /** Whether it answers requests. */
  isAtWork: boolean
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | string>
}

/** The pause before a worker that ended soon after its start is replaced; it doubles as long as its successors do too. */
const firstPauseMs = 100
const longestPauseMs = 30_000
const steadyMs = 10_000
/** How long a worker may take to tell its metrics. */
const figuresMs = 1_000

/** Starts so many workers and keeps them up. Resolves when all of them answer; throws when one cannot. */
export async function startCrew(count: number, connection: Order['connection'], log: Logger): Promise<Crew> {
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ serialization: 'advanced' })
  const members = new Map<number, Member>()
  const stopping = new AbortController()
  const everyPortClosed = createMeeting(() => members.size)

  const figures = async () => {
    const atWork = [...members.values()].filter(({ isAtWork }) => isAtWork)
    const late = sleep(figuresMs, [], { ref: false })
    return Promise.all(atWork.map(({ line }) => Promise.race([line.ask('figures').catch(() => []), late])))
  }
  const begin = (number: number) => {
    const worker = cluster.fork()
    const ended = once(worker, 'exit').then(([code, signal]) => (signal ?? code) as number | string)
    const line = openLine(worker, { 'figures of all': figures, 'port closed': everyPortClosed.join })
    const member: Member = { worker, line, isAtWork: false, ended }
    members.set(number, member)
    const order: Order = { number, connection }
    const atWork = line.ask<string>('begin', order).then((url) => {
      member.isAtWork = true
      log.info({ worker: number, pid: worker.process.pid }, 'a worker answers')
      return url
    })
    return { member, atWork }
  }
  /** Replaces the worker whenever it ends, until all are to; tells how the last one ended. */
  const keep = async (number: number, first: Member) => {
    let member = first
    for (let pauseMs = 0; ; ) {
      const bornAt = Date.now()
      const how = await member.ended
      members.delete(number)
      everyPortClosed.look()
      if (stopping.signal.aborted) return how
      pauseMs = Date.now() - bornAt > steadyMs ? 0 : Math.min(Math.max(pauseMs * 2, firstPauseMs), longestPauseMs)
      log.warn({ worker: number, pid: member.worker.process.pid, how, pauseMs }, 'a worker ended and is replaced')
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return 0
      const next = begin(number)
      member = next.member
      next.atWork.catch((error: Error) => {
        log.warn({ worker: number, reason: error.message }, 'a worker cannot start')
        next.member.worker.process.kill('SIGKILL')
      })
    }
  }

  const numbers = Array.from({ length: count }, (_, i) => i + 1)
  const started = numbers.map(begin)
  try {
    const [url = ''] = await Promise.all(started.map(({ atWork }) => atWork))
    const kept = started.map(({ member }, i) => keep(i + 1, member))
    const stop = async () => {
      stopping.abort()
      for (const { worker, line, isAtWork } of members.values()) {
        if (isAtWork)
          line.ask('stop').catch(() => {}) // how it ends tells
        else worker.process.kill('SIGKILL')
      }
      const bad = (await Promise.all(kept)).filter((how) => how !== 0)
      if (bad.length > 0) throw new Error(`workers did not end well: ${bad.join(', ')}`)
    }
    return { url, stop }
  } catch (error) {
    for (const { member } of started) member.worker.process.kill('SIGKILL')
    await Promise.all(started.map(({ member }) => member.ended))
    throw error
  }
}

/** Where all wait until the last of them has come. */
function createMeeting(size: () => number) {
  const { promise: all, resolve } = Promise.withResolvers<void>()
  let here = 0
  const look = () => {
    if (here >= size()) resolve()
  }
  const join = () => {
    here++
    look()
    return all
  }
  return { join, look }
}
