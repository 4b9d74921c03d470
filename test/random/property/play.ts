import fc from 'fast-check'
import { sql } from 'kysely'
import { it } from 'vitest'
import type { TestGateway } from '../../support/servers/gateway.ts'
import { expected, resolved } from './expected.ts'
import type { Catalogue } from './model.ts'
import type { Operation } from './operations.ts'
import { perform as performGraphQL } from './over-graphql.ts'
import { perform as performRest } from './over-rest.ts'
import { storedAssets } from './state.ts'

interface Runs {
  numRuns: number
  seed: number
  /** Whether a failure is reduced to a short one. */
  shrinks?: boolean
}

/** A test with the same values each time, unless the environment asks for others: PROPERTY_SEED=random. */
export function itHolds<Value>(
  title: string,
  { numRuns, seed, shrinks = false }: Runs,
  values: fc.Arbitrary<Value>,
  check: (value: Value) => Promise<void>,
  afterRuns = () => {},
): void {
  // A run takes seconds on a quiet machine.
  const limitMs = Math.max(600_000, numRuns * 20_000)
  const test = async () => {
    const { PROPERTY_SEED: given = seed } = process.env
    await fc.assert(fc.asyncProperty(values, check), {
      numRuns,
      seed: given === 'random' ? Date.now() | 0 : Number(given),
      interruptAfterTimeLimit: limitMs - 10_000,
      endOnFailure: !shrinks,
    })
    afterRuns()
  }
  it(title, test, limitMs)
}

interface Step {
  number: number
  /** With the UUIDs of stores. */
  operation: Operation
  /** The stores before the operation. */
  stores: string[]
}

interface Hooks {
  /** Performs the operations. */
  calling?: TestGateway
  before?(step: Step): Promise<void>
  after(step: Step & { answer: object; modelled: object }): Promise<void>
}

/** Performs the operations on an empty catalogue and on the model, which it returns. */
export async function play(
  gateway: TestGateway,
  operations: readonly Operation[],
  { calling = gateway, before, after }: Hooks,
): Promise<Catalogue> {
  await sql`truncate store, attribute_definition, product, asset, asset_link, asset_group, asset_group_range,
    asset_group_total, product_total, change, idempotency_key`.execute(gateway.database.db)
  const catalogue: Catalogue = []
  for (const [number, named] of operations.entries()) {
    const operation = resolved(catalogue, named)
    const step = { number, operation, stores: catalogue.map((store) => store.storeUuid) }
    await before?.(step)
    const answer = await (operation.api === 'rest' ? performRest : performGraphQL)(calling, operation)
    const modelled = expected(catalogue, operation, answer, await storedAssets(gateway))
    await after({ ...step, answer, modelled })
  }
  return catalogue
}
