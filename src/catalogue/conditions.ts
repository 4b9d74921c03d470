import { type RawBuilder, sql } from 'kysely'

/** All of the conditions; those that are false are left out. */
export function allOf(conditions: readonly (RawBuilder<boolean> | false)[]): RawBuilder<boolean> {
  const given = conditions.filter((condition) => condition !== false)
  return given.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(given, sql` and `)})`
}

/** Whether none of a filter's conditions is given. */
export function isBare(conditions: object): boolean {
  return Object.values(conditions).every((condition) => condition == null)
}

/** A LIKE pattern for texts that contain the given one, whatever characters it has. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** A page by keys: at most `limit` rows after `after` and before `before`, from the end if `backwards`. */
export interface KeysetPage {
  after?: string | undefined
  before?: string | undefined
  limit: number
  backwards: boolean
}

/** The conditions of a page over rows that are ordered by the column. */
export function within({ after, before }: KeysetPage, column: string): (RawBuilder<boolean> | false)[] {
  return [
    after !== undefined && sql<boolean>`${sql.ref(column)} > ${after}`,
    before !== undefined && sql<boolean>`${sql.ref(column)} < ${before}`,
  ]
}
