const all = 'select, insert, update, delete'

/** How a table is kept on several servers, copied and protected. The columns are in the migrations. */
export interface Table {
  name: string
  /**
   * On Citus: spread by `store_uuid` over the servers (the others are co-located with the first), or on the coordinator
   * only: no statement names both kinds.
   */
  placement: 'distributed' | 'local'
  /** Whether `--partitions` applies: its rows grow with products and assets, and unique keys begin with the store. */
  partitioned?: true
  /** A restore fills these tables in the order of the list. */
  backedUp?: true
  /** What a caller that is limited to some stores may do with their rows. */
  tenantRights?: string
  /** Whether it has no row-level policy: only the gateway reads it, or its rows belong to no store. */
  withoutPolicy?: true
}

/**
 * Every table but `migration`. Not backed up are jobs, because pg-boss owns their queue; the ledger, because its
 * cursors are valid in one database only; the queue of changed products; what is derived from products and built
 * again; attempts of deliveries, which last for days; rate limits, which last for minutes; logins, which belong to the
 * server.
 */
export const tables: readonly Table[] = [
  { name: 'store', placement: 'local', backedUp: true, tenantRights: all },
  { name: 'attribute_definition', placement: 'distributed', backedUp: true, tenantRights: all },
  { name: 'attribute_name', placement: 'distributed', backedUp: true, tenantRights: all },
  { name: 'product', placement: 'distributed', partitioned: true, backedUp: true, tenantRights: all },
  { name: 'product_total', placement: 'distributed', backedUp: true, tenantRights: all },
  { name: 'asset', placement: 'distributed', partitioned: true, backedUp: true, tenantRights: all },
  { name: 'asset_link', placement: 'distributed', partitioned: true, backedUp: true, tenantRights: all },
  { name: 'asset_group', placement: 'distributed', partitioned: true, backedUp: true, tenantRights: all },
  { name: 'asset_group_range', placement: 'distributed', partitioned: true, backedUp: true, tenantRights: all },
  { name: 'asset_group_total', placement: 'distributed', partitioned: true, backedUp: true, tenantRights: all },
  { name: 'product_index', placement: 'distributed', partitioned: true, tenantRights: 'select' },
  { name: 'product_index_slot', placement: 'distributed', tenantRights: 'select' },
  { name: 'product_text', placement: 'distributed', partitioned: true, tenantRights: 'select' },
  { name: 'product_text_state', placement: 'distributed', tenantRights: 'select' },
  { name: 'product_dirty', placement: 'distributed', tenantRights: 'select, insert' },
  { name: 'channel_requirement', placement: 'distributed', backedUp: true, tenantRights: all },
  { name: 'channel_readiness', placement: 'distributed', tenantRights: 'select' },
  { name: 'product_gap', placement: 'distributed', tenantRights: 'select' },
  { name: 'measure', placement: 'distributed', backedUp: true, tenantRights: 'select' },
  { name: 'change', placement: 'distributed', tenantRights: 'select, insert' },
  { name: 'change_horizon', placement: 'local', tenantRights: 'select', withoutPolicy: true },
  { name: 'job', placement: 'local', tenantRights: all },
  { name: 'job_part', placement: 'local', tenantRights: all },
  { name: 'webhook', placement: 'local', backedUp: true, tenantRights: all },
  { name: 'webhook_delivery', placement: 'local', tenantRights: 'select' },
  { name: 'token', placement: 'local', backedUp: true, withoutPolicy: true },
  { name: 'idempotency_key', placement: 'local', backedUp: true, withoutPolicy: true },
  { name: 'rate_limit', placement: 'local', withoutPolicy: true },
  { name: 'report_user', placement: 'local', withoutPolicy: true },
]

export function namesOf(of: (table: Table) => boolean | undefined): string[] {
  return tables.filter(of).map(({ name }) => name)
}
