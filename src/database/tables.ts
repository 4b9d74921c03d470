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
  /** The answer of a write with an Idempotency-Key, for 24 hours. `scope` and `body` are hashes. */
  idempotency_key: {
    scope: Buffer
    body: Buffer
    owner: Buffer
    answer: string | null
    created_at: Generated<Date>
  }
  job: {
    store_uuid: string
    job_id: string
    kind: 'import' | 'export'
    state: 'uploading' | 'queued' | 'running' | 'succeeded' | 'failed'
    /** What an import of the command line reads; null: a gateway runs the job. */
    file: Generated<string | null>
    options: ColumnType<Record<string, unknown>, string, string>
    origin: ColumnType<object | null, string | null, string | null>
    counts: ColumnType<object, string, string>
    problems: ColumnType<unknown[], string | undefined, string>
    notes: ColumnType<unknown[], string | undefined, string>
    recognized: ColumnType<object, string | undefined, string>
    /** Where an import can be resumed. */
    position: ColumnType<object | null, never, string | null>
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
  job_part: {
    store_uuid: string
    job_id: string
    direction: 'input' | 'output'
    part: number
    bytes: Buffer
  }
  token: {
    token_id: string
    name: string
    hash: Buffer
    scopes: string[]
    stores: string[] | null
    stale_while: string | null
    created_at: Generated<Date>
    expires_at: Date | null
    revoked_at: Generated<Date | null>
    last_used_at: Generated<Date | null>
  }
}
