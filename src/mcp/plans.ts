import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database } from '../database/tables.ts'
import { invalidRequest } from '../errors.ts'
import { answerFor, doOnce } from '../idempotency/once.ts'
import type { Caller } from '../request/caller.ts'

/** A previewed write. */
export interface Plan {
  operation: string
  variables: Record<string, unknown>
}

export type Plans = ReturnType<typeof createPlans>

const validMs = 10 * 60_000

/** Plans are stored like answers of idempotency keys: for every instance, within the quota of the tenant. */
export function createPlans(db: Kysely<Database>) {
  const scopeOf = (target: string, key: string, caller: Caller) => ({ key, caller, method: 'MCP', target })
  const keepOnce = (target: string, key: string, caller: Caller, text: string) =>
    doOnce(db, { ...scopeOf(target, key, caller), body: new Uint8Array() }, async () => ({ text }))
  return {
    /** Stores a plan and returns its id. */
    keep: async (plan: Plan, caller: Caller): Promise<string> => {
      const id = randomUUID()
      await keepOnce('plan', id, caller, JSON.stringify({ ...plan, until: Date.now() + validMs }))
      return id
    },
    /** The plan of an id. Throws `invalid_request` if the token has no such plan, or the plan is too old. */
    read: async (id: unknown, caller: Caller): Promise<Plan & { id: string }> => {
      if (typeof id !== 'string') throw refused('it must be the id from the answer of a preview')
      const kept = await answerFor(db, scopeOf('plan', id, caller))
      if (kept === undefined) throw refused('this token has no such plan')
      const { until, ...plan }: Plan & { until: number } = JSON.parse(kept)
      if (Date.now() > until) throw refused('it is older than 10 minutes')
      return { ...plan, id }
    },
    /** Throws `invalid_request` unless this is the first time. */
    begin: async (id: string, caller: Caller, requestId: string): Promise<void> => {
      const attempt = `${randomUUID()} ${requestId}`
      const { text: first } = await keepOnce('apply_plan', id, caller, attempt)
      if (first === attempt) return
      const by = first.replace(/^\S+ /, '')
      throw refused(
        `the request ${by} has already started to apply it; request_receipt shows what that request changed`,
      )
    },
  }
}

export function refused(problem: string) {
  const details = `the plan cannot be applied: ${problem}. Call the preview for another plan`
  return invalidRequest([{ details, field: 'plan' }])
}
