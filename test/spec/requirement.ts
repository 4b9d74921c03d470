import { describe, it } from 'vitest'
import type { Client } from '../support/clients/client.ts'
import { type GraphQLClient, graphqlClient } from '../support/clients/graphql-client.ts'
import { restClient } from '../support/clients/rest-client.ts'
import { type TestGateway, useGateway } from '../support/servers/gateway.ts'

type Check<Api extends Client = Client> = (client: Api) => Promise<void>

/** How to check a requirement through each API; a function checks it in the same way through both. */
export type Requirement = Check | { rest?: Check; graphql?: Check<GraphQLClient> }

/**
 * Makes a test of each row and API, on one gateway for the section. Each row makes the stores that it needs.
 * The key of a row is its id and a sentence with MUST. An id is stable: a row that goes leaves its number unused.
 */
export function requirements(section: string, rowsOf: (gateway: TestGateway) => Record<string, Requirement>): void {
  describe(section, () => {
    const gateway = useGateway()
    const rows = rowsOf(gateway)
    const ids = Object.keys(rows).map((requirement) => requirement.split(' ', 1)[0])
    const repeated = ids.filter((id, i) => ids.indexOf(id) < i)
    if (repeated.length > 0) {
      throw new Error(`another row has the id ${repeated.join(', ')}: take one after ${ids.toSorted().at(-1)}`)
    }
    for (const [requirement, row] of Object.entries(rows)) {
      const { rest, graphql } = typeof row === 'function' ? { rest: row, graphql: row } : row
      if (rest) it(`${requirement} (REST)`, () => rest(restClient(gateway)))
      if (graphql) it(`${requirement} (GraphQL)`, () => graphql(graphqlClient(gateway)))
    }
  })
}

export const rest = (check: Check): Requirement => ({ rest: check })

export const graphql = (check: Check<GraphQLClient>): Requirement => ({ graphql: check })
