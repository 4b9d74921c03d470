import { describe, it } from 'vitest'
import type { Client } from '../support/client.ts'
import { type TestGateway, useGateway } from '../support/gateway.ts'
import { graphqlClient } from '../support/graphql-client.ts'
import { restClient } from '../support/rest-client.ts'

type Check = (gateway: TestGateway) => Promise<void>

/** One row of the table: a sentence that the product must keep, and how to check it through each API. */
export interface Requirement {
  /** Its id and a sentence with MUST. An id is stable: a row that goes leaves its number unused. */
  requirement: string
  rest?: Check
  graphql?: Check
}

/** Makes a test of each row and API, on one gateway for the section. Each row makes the stores that it needs. */
export function requirements(section: string, rows: readonly Requirement[]): void {
  const ids = rows.map(({ requirement }) => requirement.split(' ', 1)[0])
  if (new Set(ids).size < ids.length) throw new Error(`an id stands twice: ${ids.toSorted().join(' ')}`)
  describe(section, () => {
    const gateway = useGateway()
    for (const { requirement, rest, graphql } of rows) {
      if (rest) it(`${requirement} (REST)`, () => rest(gateway))
      if (graphql) it(`${requirement} (GraphQL)`, () => graphql(gateway))
    }
  })
}

/** A row that both APIs keep in the same way: one check, run with either. */
export function both(requirement: string, check: (gateway: TestGateway, client: Client) => Promise<void>): Requirement {
  return {
    requirement,
    rest: (gateway) => check(gateway, restClient(gateway)),
    graphql: (gateway) => check(gateway, graphqlClient(gateway)),
  }
}

/** A row of what only REST has. */
export const rest = (requirement: string, check: Check): Requirement => ({ requirement, rest: check })

/** A row of what only GraphQL has. */
export const graphql = (requirement: string, check: Check): Requirement => ({ requirement, graphql: check })
