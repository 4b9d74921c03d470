import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { checkReadModel } from '../../../src/catalogue/asset-groups/check-read-model.ts'
import { exportStore } from '../../../src/export/export-store.ts'
import type { Call } from '../../support/clients/http.ts'
import type { GraphQLReply, TestGateway } from '../../support/servers/gateway.ts'

/** The gateway, called with request ids that are known: `id` is the last one. */
export function withRequestIds(gateway: TestGateway) {
  const named = {
    id: '',
    call: (path: string, options: Call = {}) => {
      named.id = randomUUID()
      return gateway.call(path, { ...options, headers: { ...options.headers, 'X-Request-Id': named.id } })
    },
    graphql: async (query: string, variables: Record<string, unknown> = {}) =>
      (await named.call('/graphql', { method: 'POST', body: { query, variables } })).json as GraphQLReply,
  }
  return named
}

interface Skipped {
  kind: string
  code: string
  key: string | null
  reason: string
}

export interface RevertAnswer {
  requestId: string
  reverted: Record<string, number>
  skipped: Skipped[]
  more: number
}

const document = `mutation ($store: ID!, $request: String!, $policy: RevertPolicy, $dryRun: Boolean) {
  revertRequest(storeUuid: $store, requestId: $request, ifChangedSince: $policy, dryRun: $dryRun) {
    requestId reverted { products assets links definitions requirements storeFields } skipped { kind code key reason } more } }`

/** Reverts a request; throws the error of the answer. */
export async function revert(
  gateway: TestGateway,
  store: string,
  request: string,
  { policy, dryRun }: { policy?: 'SKIP' | 'FAIL' | 'OVERWRITE'; dryRun?: boolean } = {},
): Promise<RevertAnswer> {
  const { data, errors } = await gateway.graphql(document, { store, request, policy, dryRun })
  if (errors?.[0]) throw Object.assign(new Error(errors[0].message), errors[0].extensions)
  return (data as unknown as { revertRequest: RevertAnswer }).revertRequest
}

/** The same; the read model must be correct then. */
export async function revertChecked(...given: Parameters<typeof revert>): Promise<RevertAnswer> {
  const answer = await revert(...given)
  expect(await checkReadModel(given[0].database.db)).toEqual([])
  return answer
}

/** How many rows of the ledger a request has in a store. */
export async function countChanges({ database }: TestGateway, storeUuid: string, requestId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from change where store_uuid = ${storeUuid} and request_id = ${requestId}`.execute(
    database.db,
  )
  return rows[0]?.count ?? 0
}

/** All that a store has but times of changes, and its export. */
export async function stateOf(
  { database }: Pick<TestGateway, 'database'>,
  storeUuid: string,
): Promise<Record<string, unknown>> {
  const { rows } = await sql`
    select (select to_json(s) from store s where store_uuid = ${storeUuid}) as store, (
      select json_agg(to_jsonb(d) - 'slot' order by name) from attribute_definition d where store_uuid = ${storeUuid}
    ) as definitions, (
      select json_agg(json_build_object('code', product_code, 'status', status, 'attributes', attributes, 'at', created_at)
        order by product_code) from product where store_uuid = ${storeUuid}
    ) as products, (
      select json_agg(a order by asset_id) from asset a where store_uuid = ${storeUuid}
    ) as assets, (
      select json_agg(l order by parent_code, channel, asset_id) from asset_link l where store_uuid = ${storeUuid}
    ) as links, (
      select json_agg(g order by channel, asset_format, parent_code) from asset_group g where store_uuid = ${storeUuid}
    ) as groups`.execute(database.db)
  let exported = ''
  await exportStore(database.catalogue, { storeUuid, channel: 'SMP' }, { format: 'jsonl' }, async (text) => {
    exported += text
  })
  return { ...(rows[0] as object), exported }
}
