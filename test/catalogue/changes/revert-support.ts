import { sql } from 'kysely'
import { expect } from 'vitest'
import { checkReadModel } from '../../../src/catalogue/check-read-model.ts'
import { exportStore } from '../../../src/export/export-store.ts'
import { documentOf } from '../../support/clients/operations.ts'
import type { TestGateway } from '../../support/servers/gateway.ts'

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

/** Reverts a request; throws the error of the answer. */
export async function revert(
  gateway: TestGateway,
  storeUuid: string,
  requestId: string,
  { policy, dryRun }: { policy?: 'SKIP' | 'FAIL' | 'OVERWRITE'; dryRun?: boolean } = {},
): Promise<RevertAnswer> {
  const variables = { storeUuid, requestId, ifChangedSince: policy, dryRun }
  const { data, errors } = await gateway.graphql(documentOf('revertRequest', variables), variables)
  if (errors?.[0]) throw Object.assign(new Error(errors[0].message), errors[0].extensions)
  return data?.result as unknown as RevertAnswer
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

type State = Record<string, unknown>

/** All that a store has but times of changes, and its export. */
export async function stateOf(gateway: Pick<TestGateway, 'database'>, storeUuid: string): Promise<State> {
  return { ...(await rowsOf(gateway, storeUuid)), exported: await exportOf(gateway, storeUuid) }
}

/** All that a store has but times of changes. */
export async function rowsOf({ database }: Pick<TestGateway, 'database'>, storeUuid: string): Promise<State> {
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
  return rows[0] as State
}

export async function exportOf({ database }: Pick<TestGateway, 'database'>, storeUuid: string): Promise<string> {
  let exported = ''
  await exportStore(database.catalogue, { storeUuid, channel: 'SMP' }, { format: 'jsonl' }, async (text) => {
    exported += text
  })
  return exported
}
