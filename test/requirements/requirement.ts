import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Door } from '../support/door.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { graphqlDoor } from '../support/graphql-door.ts'
import { restDoor } from '../support/rest-door.ts'

type Check = (gateway: TestGateway) => Promise<void>

/** One row of the table: a sentence that the product must keep, and how to see through each door whether it does. */
export interface Requirement {
  /** Stable: a row that goes leaves its number unused. */
  id: string
  /** Begins with MUST. */
  requirement: string
  rest?: Check
  graphql?: Check
}

/** Makes a test of each row and door, on one gateway for the section. Each row makes the stores that it needs. */
export function requirements(section: string, rows: readonly Requirement[]): void {
  const ids = rows.map(({ id }) => id)
  if (new Set(ids).size < ids.length) throw new Error(`an id stands twice: ${ids.toSorted().join(' ')}`)
  describe(section, () => {
    let gateway: TestGateway
    beforeAll(async () => {
      gateway = await startTestGateway()
    })
    afterAll(() => gateway.stop())
    for (const { id, requirement, rest, graphql } of rows) {
      if (rest) it(`${id} ${requirement} (REST)`, () => rest(gateway))
      if (graphql) it(`${id} ${requirement} (GraphQL)`, () => graphql(gateway))
    }
  })
}

/** The two checks of a sentence that both doors keep in the same way: one check, run with either. */
export function both(check: (gateway: TestGateway, door: Door) => Promise<void>): { rest: Check; graphql: Check } {
  return {
    rest: (gateway) => check(gateway, restDoor(gateway)),
    graphql: (gateway) => check(gateway, graphqlDoor(gateway)),
  }
}
