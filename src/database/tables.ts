import type { ColumnType, Generated } from 'kysely'

/** The tables that Kysely's query builder uses; the migrations define all. */
export interface Database {
  store: {
    store_uuid: string
    store_group: string
    store_name: string
    store_taxonomy: string
    region: string[]
    channels: string[]
    default_automation: string[]
    store_website: string | null
    created_at: ColumnType<Date, never, never>
  }
  attribute_definition: {
    store_uuid: string
    name: string
    type: 'text' | 'number' | 'boolean' | 'date' | 'url' | 'enum'
    allowed_values: string[] | null
    max_length: number | null
    pattern: string | null
  }
  product: {
    store_uuid: string
    product_code: string
    status: 'active' | 'new' | 'problem' | 'inactive' | 'draft' | 'under review'
    attributes: ColumnType<Record<string, string>, string, string>
    created_at: ColumnType<Date, never, never>
    updated_at: ColumnType<Date, never, never>
  }
  asset: {
    store_uuid: string
    asset_id: string
    asset_format: string
    url: string
    created_at: ColumnType<Date, never, never>
  }
  /** Links an asset to the groups of a parent code and channel; `place` orders them and may have gaps. */
  asset_link: {
    store_uuid: string
    parent_code: string
    channel: string
    asset_id: string
    place: number
  }
  /** The read model: one row per group, with its assets in order as the JSON text that the REST listing shows. */
  asset_group: {
    store_uuid: string
    channel: string
    asset_format: string
    parent_code: string
    entries: string
  }
  /** The number of groups of a store, channel and format in ranges of parent codes. The first range begins with ''. */
  asset_group_range: {
    store_uuid: string
    channel: string
    asset_format: string
    first_code: string
    groups: number
  }
  /** The answer of a write with an Idempotency-Key, for 24 hours. `scope` and `body` are hashes. */
  idempotency_key: {
    scope: Buffer
    body: Buffer
    answer: string | null
    created_at: Generated<Date>
  }
  /** How far an unfinished import of a file has come. */
  import_run: {
    store_uuid: string
    file: string
    /** The hash of the file's content, and the options: both must be the same to resume. */
    content: string
    options: string
    counts: ColumnType<Record<string, number>, string, string>
    report_file: string | null
    report_bytes: ColumnType<string, number, number>
    updated_at: ColumnType<Date, never, Date>
  }
  /** An import or export that the gateway runs in the background. */
  job: {
    store_uuid: string
    job_id: string
    kind: 'import' | 'export'
    state: 'queued' | 'running' | 'succeeded' | 'failed'
    options: ColumnType<Record<string, unknown>, string, string>
    counts: ColumnType<object, string, string>
    problems: ColumnType<unknown[], string | undefined, string>
    error: Generated<string | null>
    /** How many attempts have begun. Only the last one may write. */
    attempt: Generated<number>
    /** How many attempts began while the one before counted as running: its process had died or lost the database. */
    crashes: Generated<number>
    created_at: Generated<Date>
    started_at: Generated<Date | null>
    heartbeat_at: Generated<Date | null>
    finished_at: Generated<Date | null>
  }
  /** The input and output of a job, in order. */
  job_part: {
    store_uuid: string
    job_id: string
    direction: 'input' | 'output'
    part: number
    text: string
  }
  token: {
    token_id: string
    name: string
    hash: Buffer
    scopes: string[]
    stores: string[] | null
    created_at: Generated<Date>
    expires_at: Date | null
    revoked_at: Generated<Date | null>
    last_used_at: Generated<Date | null>
  }
}
