import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/tables.ts'

/** A job among those of its store. */
export interface JobKey {
  storeUuid: string
  jobId: string
}

/** What is read of one is worked on at one go: small enough that nobody waits for it. */
const partSize = 32 * 1024

/** The text in parts, none of which ends within a character. */
export function partsOf(text: string): string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + partSize, text.length)
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end--
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}

/** Removes what a job was given, or what it has written. One statement. */
export async function dropParts(
  db: Kysely<Database>,
  { storeUuid, jobId }: JobKey,
  direction: 'input' | 'output',
): Promise<void> {
  await db
    .deleteFrom('job_part')
    .where('store_uuid', '=', storeUuid)
    .where('job_id', '=', jobId)
    .where('direction', '=', direction)
    .execute()
}

/** Writes parts of a job from a number on; what stood there is replaced. One statement. */
export async function writeParts(
  db: Kysely<Database>,
  { storeUuid, jobId }: JobKey,
  direction: 'input' | 'output',
  from: number,
  parts: readonly string[],
): Promise<void> {
  if (parts.length === 0) return
  await sql`
    insert into job_part (store_uuid, job_id, direction, part, text)
    select ${storeUuid}::uuid, ${jobId}::uuid, ${direction}, ${from}::integer + nth - 1, text
    from unnest(${[...parts]}::text[]) with ordinality as p(text, nth)
    on conflict (store_uuid, job_id, direction, part) do update set text = excluded.text`.execute(db)
}

/** One part, or undefined behind the last. */
export async function readPart(
  db: Kysely<Database>,
  { storeUuid, jobId }: JobKey,
  direction: 'input' | 'output',
  part: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('job_part')
    .select('text')
    .where('store_uuid', '=', storeUuid)
    .where('job_id', '=', jobId)
    .where('direction', '=', direction)
    .where('part', '=', part)
    .executeTakeFirst()
  return row?.text
}

/** How many parts have come out of a job. */
export async function countOutput(db: Kysely<Database>, { storeUuid, jobId }: JobKey): Promise<number> {
  const row = await db
    .selectFrom('job_part')
    .select(({ fn }) => fn.countAll<string>().as('parts'))
    .where('store_uuid', '=', storeUuid)
    .where('job_id', '=', jobId)
    .where('direction', '=', 'output')
    .executeTakeFirst()
  return Number(row?.parts ?? 0)
}

/** What went into a job, in order. */
export async function* readInput(db: Kysely<Database>, key: JobKey): AsyncGenerator<Buffer> {
  for (let part = 0; ; part++) {
    const text = await readPart(db, key, 'input', part)
    if (text === undefined) return
    yield Buffer.from(text)
  }
}
