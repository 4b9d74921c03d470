import { type RawBuilder, sql } from 'kysely'

/** All of the conditions; those that are false are left out. */
export function allOf(conditions: readonly (RawBuilder<boolean> | false)[]): RawBuilder<boolean> {
  const given = conditions.filter((condition) => condition !== false)
  return given.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(given, sql` and `)})`
}

/** A LIKE pattern for texts that contain the given one, whatever characters it has. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
