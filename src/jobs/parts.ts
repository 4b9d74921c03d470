import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/tables.ts'
import type { JobKey } from './job.ts'

type Direction = 'input' | 'output'

/** Splits a text into parts. A part is processed in one go, so its size bounds how long the event loop is busy. */
export function partsOf(text: string): string[] {
  // With the flag `u` a surrogate pair is one character.
  return text.match(/.{1,32768}/gsu) ?? []
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

export async function deleteParts(db: Kysely<Database>, key: JobKey, direction: Direction): Promise<void> {
  const found = db.deleteFrom('job_part').where(({ and }) => and(columnsOf(key, direction)))
  await found.execute()
}

/** Reads one part, counted from 0; undefined after the last. */
export async function readPart(
  db: Kysely<Database>,
  key: JobKey,
  direction: Direction,
  part: number,
): Promise<string | undefined> {
  const found = db.selectFrom('job_part').where(({ and }) => and({ ...columnsOf(key, direction), part }))
  return (await found.select('text').executeTakeFirst())?.text
}

export async function countOutput(db: Kysely<Database>, key: JobKey): Promise<number> {
  const ofOutput = db.selectFrom('job_part').where(({ and }) => and(columnsOf(key, 'output')))
  const { parts } = await ofOutput.select(({ fn }) => fn.countAll<string>().as('parts')).executeTakeFirstOrThrow()
  return Number(parts)
}

export async function* readInput(db: Kysely<Database>, key: JobKey): AsyncGenerator<Buffer> {
  for (let part = 0; ; part++) {
    const text = await readPart(db, key, 'input', part)
    if (text === undefined) return
    yield Buffer.from(text)
  }
}

function columnsOf({ storeUuid, jobId }: JobKey, direction: Direction) {
  return { store_uuid: storeUuid, job_id: jobId, direction }
}
