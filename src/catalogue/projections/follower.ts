import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../../database/tables.ts'
import { isUnreachable } from '../../database/unavailable.ts'
import { messageOf } from '../../errors.ts'
import { inTimeForShutdown } from '../../request/give-up.ts'
import type { RequestPatterns } from '../attributes/patterns.ts'
import { type Catalogue, type Origin, wholeCatalogue } from '../catalogue.ts'
import type { ProjectionName } from './projection.ts'
import { projections } from './projections.ts'
import { listQueuedStores, pauseBuild } from './queue.ts'
import { applyChanged, buildNext, type OnFailure, type StepResult } from './step.ts'

/** How often the queue is read while no write of this process wakes the follower. */
const pollMs = 250
/** Writes within this time are applied together. */
const minPauseMs = 30
const pauseAfterFailureMs = 1_000
/** The pause before a failed build is tried again. */
const rebuildAfterMs = 5_000

type RunHeavy = RequestPatterns['runHeavy']

/**
 * In the background, applies changed products to the projections of their stores, and builds projections. Several
 * processes may run it at a time, and each may be killed at any time. `isRecording`: whether the ledger records which
 * products became ready or blocked.
 */
export function startFollower(db: Kysely<Database>, runHeavy: RunHeavy, isRecording: boolean, log: Logger) {
  const catalogue: Catalogue = { ...wholeCatalogue(db), patterns: { runHeavy, work: 0 } }
  const stopping = new AbortController()
  const { signal } = stopping
  const failures = new Map<ProjectionName, number>(projections.map(({ name }) => [name, 0]))
  let woken = Promise.withResolvers<void>()
  const warn = (message: string, error: unknown, facts: object = {}) => {
    if (!signal.aborted) log.warn({ reason: messageOf(error), ...facts }, message)
  }
  const failed: OnFailure = (projection, storeUuid, error) => {
    failures.set(projection, (failures.get(projection) ?? 0) + 1)
    warn('a projection could not be kept', error, { projection, storeUuid })
  }
  const loop = (isBuilding: boolean, step: (uuid: string) => Promise<StepResult>) =>
    runLoop({ catalogue, isBuilding, step, woken: () => woken.promise, signal, warn })
  const recording = (): Catalogue => ({ ...catalogue, origin: isRecording ? originOfStep() : undefined })
  const apply = (uuid: string) => applyChanged(recording(), projections, uuid, failed)
  const build = async (uuid: string) => {
    await apply(uuid)
    return buildNext(recording(), projections, uuid).catch(async (error: unknown): Promise<StepResult> => {
      warn('projections could not be built', error, { storeUuid: uuid })
      await pauseBuild(catalogue, uuid, rebuildAfterMs)
      return 'done'
    })
  }
  const running = Promise.allSettled([loop(false, apply), loop(true, build)])
  return {
    /** To be called after a write. */
    wake: () => {
      woken.resolve()
      woken = Promise.withResolvers()
    },
    /** How often each projection has failed. */
    failures: () => Object.fromEntries(failures),
    stop: async () => {
      stopping.abort()
      // Another process repeats a step that was cut off.
      await inTimeForShutdown(running)
    },
  }
}

function originOfStep(): Origin {
  return { requestId: uuidv7(), actor: 'gateway', via: 'job', operation: 'readiness' }
}

interface Loop {
  catalogue: Catalogue
  isBuilding: boolean
  step(uuid: string): Promise<StepResult>
  /** Resolves at the next write. */
  woken(): Promise<void>
  signal: AbortSignal
  warn(message: string, error: unknown): void
}

/**
 * Takes rounds of a step in each store of the queue for which something is to be built, or in each other one. A round
 * follows at once where a store has more; else after a short pause, and the next write or `pollMs`.
 */
async function runLoop({ catalogue, isBuilding, step, woken, signal, warn }: Loop): Promise<void> {
  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal })
  while (!signal.aborted) {
    const nextWrite = woken()
    try {
      const stores = (await listQueuedStores(catalogue)).filter((store) => store.isBuilding === isBuilding)
      const results = new Set<StepResult>()
      const errors: unknown[] = []
      for (const { uuid } of rotated(stores)) {
        if (signal.aborted) break
        await step(uuid).then(
          (result) => results.add(result),
          (error: unknown) => errors.push(error),
        )
        if (errors.some(isUnreachable)) break
      }
      // A store that cannot be followed does not stop the others.
      if (errors.length > 0) throw errors[0]
      if (results.has('more')) continue
      await pause(minPauseMs)
      if (results.size === 0) await Promise.race([nextWrite, pause(pollMs)])
    } catch (error) {
      warn('the queue of changed products could not be followed', error)
      await pause(pauseAfterFailureMs)
    }
  }
}

/** Several processes begin at different stores. */
function rotated<Item>(items: readonly Item[]): Item[] {
  const at = Math.floor(Math.random() * items.length)
  return [...items.slice(at), ...items.slice(0, at)]
}
