import { type RawBuilder, sql } from 'kysely'

/** The limit of a product's attributes in MiB of JSON: a page of one product can always be read. */
export const maxMebibytes = 4
export const maxSize = maxMebibytes * 1024 * 1024

/**
 * Attributes stored in fewer bytes are so small, also if they were compressed, that only what is added needs a check.
 */
export const sizeNotChecked = 2_000

/** No character of a value takes more bytes in JSON. */
const maxBytesPerCharacter = 6

/** Whether the attributes of a patch are within the limit by themselves. */
export function fitsAlone(attributes: Readonly<Record<string, string>>): boolean {
  let characters = 0
  for (const name in attributes) characters += name.length + (attributes[name]?.length ?? 0)
  if (characters * maxBytesPerCharacter < maxSize / 2) return true
  return Buffer.byteLength(JSON.stringify(attributes)) <= maxSize
}

/**
 * SQL: whether a product's stored attributes are within the limit after others are merged in, as merge-products.sql has
 * it.
 */
export function fits(stored: RawBuilder<unknown>, added: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(pg_column_size(${stored}) < ${sizeNotChecked}::integer
    or pg_column_size(${stored} || ${added}) <= ${maxSize / 8}::integer
    or octet_length((${stored} || ${added})::text) <= ${maxSize}::integer)`
}
