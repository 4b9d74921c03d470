import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/tables.ts'
import type { JobKey } from './job.ts'
import { type JobQuotas, roomFor } from './quotas.ts'

type Direction = 'input' | 'output'

/** A part is processed in one go, so its size bounds how long the event loop is busy. */
const partBytes = 32 * 1024

/** A file may grow by so much before the jobs of its store are measured again. */
const measureEvery = 8 * 1024 * 1024

/** Splits a text in UTF-8 into parts that are texts too: none ends within a character. */
export function partsOf(text: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + partBytes, text.length)
    // A character has at most three more bytes; what is not UTF-8 is cut anywhere.
    for (let back = 0; back < 3 && isWithinCharacter(text[to]); back++) to--
    parts.push(text.subarray(from, to))
    from = to
  }
  return parts
}

function isWithinCharacter(next: number | undefined): boolean {
  return next !== undefined && (next & 0xc0) === 0x80
}

/** Makes the function that writes parts from a number on. It throws `quota_exceeded` above the store's quota. */
export function partsWriter(key: JobKey, direction: Direction, quotas: JobQuotas) {
  let room = 0
  return async (db: Kysely<Database>, from: number, parts: readonly Buffer[]): Promise<void> => {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0)
    if (bytes > room) room = Math.min(await roomFor(db, key.storeUuid, bytes, quotas), bytes + measureEvery)
    room -= bytes
    await writeParts(db, key, direction, from, parts)
  }
}

/** Writes parts of a job's file, the first one as number `from`; existing parts with these numbers are replaced. */
export async function writeParts(
  db: Kysely<Database>,
  { storeUuid, jobId }: JobKey,
  direction: Direction,
  from: number,
  parts: readonly Buffer[],
): Promise<void> {
  if (parts.length === 0) return
  await sql`
    insert into job_part (store_uuid, job_id, direction, part, bytes)
    select ${storeUuid}::uuid, ${jobId}::uuid, ${direction}, ${from}::integer + nth - 1, bytes
    from unnest(${[...parts]}::bytea[]) with ordinality as p(bytes, nth)
    on conflict (store_uuid, job_id, direction, part) do update set bytes = excluded.bytes`.execute(db)
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
): Promise<Buffer | undefined> {
  const found = db.selectFrom('job_part').where(({ and }) => and({ ...columnsOf(key, direction), part }))
  return (await found.select('bytes').executeTakeFirst())?.bytes
}

export async function countOutput(db: Kysely<Database>, key: JobKey): Promise<number> {
  const ofOutput = db.selectFrom('job_part').where(({ and }) => and(columnsOf(key, 'output')))
  const { parts } = await ofOutput.select(({ fn }) => fn.countAll<string>().as('parts')).executeTakeFirstOrThrow()
  return Number(parts)
}

export async function* readInput(db: Kysely<Database>, key: JobKey): AsyncGenerator<Buffer> {
  for (let part = 0; ; part++) {
    const bytes = await readPart(db, key, 'input', part)
    if (bytes === undefined) return
    for (let at = 0; at < bytes.length; at += partBytes) yield bytes.subarray(at, at + partBytes)
  }
}

function columnsOf({ storeUuid, jobId }: JobKey, direction: Direction) {
  return { store_uuid: storeUuid, job_id: jobId, direction }
}
