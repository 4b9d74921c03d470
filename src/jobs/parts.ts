import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/tables.ts'
import type { JobKey } from './job.ts'

type Direction = 'input' | 'output'

/** In UTF-16 code units. A part is processed in one go, so its size bounds how long the event loop is busy. */
const partSize = 32 * 1024

/** Splits a text into parts, never within a surrogate pair. */
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

/** Writes parts of a job's text, the first one as number `from`; existing parts with these numbers are replaced. */
export async function writeParts(
  db: Kysely<Database>,
  { storeUuid, jobId }: JobKey,
  direction: Direction,
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

/** Deletes all parts of a job's input or output. */
export async function deleteParts(db: Kysely<Database>, key: JobKey, direction: Direction): Promise<void> {
  const { storeUuid, jobId } = key
  const ofJob = db.deleteFrom('job_part').where('store_uuid', '=', storeUuid).where('job_id', '=', jobId)
  await ofJob.where('direction', '=', direction).execute()
}

/** Reads one part, counted from 0; undefined after the last. */
export async function readPart(
  db: Kysely<Database>,
  key: JobKey,
  direction: Direction,
  part: number,
): Promise<string | undefined> {
  const row = await partsIn(db, key, direction).select('text').where('part', '=', part).executeTakeFirst()
  return row?.text
}

/** How many parts of output a job has written. */
export async function countOutput(db: Kysely<Database>, key: JobKey): Promise<number> {
  const count = partsIn(db, key, 'output').select(({ fn }) => fn.countAll<string>().as('parts'))
  return Number((await count.executeTakeFirstOrThrow()).parts)
}

/** Streams a job's input. */
export async function* readInput(db: Kysely<Database>, key: JobKey): AsyncGenerator<Buffer> {
  for (let part = 0; ; part++) {
    const text = await readPart(db, key, 'input', part)
    if (text === undefined) return
    yield Buffer.from(text)
  }
}

function partsIn(db: Kysely<Database>, { storeUuid, jobId }: JobKey, direction: Direction) {
  const ofJob = db.selectFrom('job_part').where('store_uuid', '=', storeUuid).where('job_id', '=', jobId)
  return ofJob.where('direction', '=', direction)
}
