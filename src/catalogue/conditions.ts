import { type RawBuilder, sql } from 'kysely'

/** A part of a statement. */
export type Sql = RawBuilder<unknown>

export type Condition = RawBuilder<boolean>

/** A condition that may be left out. */
type Optional = Condition | false

export function withoutFalse(conditions: readonly Optional[]): Condition[] {
  return conditions.filter((condition) => condition !== false)
}

/** The conjunction of the conditions, without those that are `false`. */
export function allOf(conditions: readonly Optional[]): Condition {
  const given = withoutFalse(conditions)
  return given.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(given, sql` and `)})`
}

/** Whether a filter has no condition. */
export function isBare(conditions: object): boolean {
  return Object.values(conditions).every((condition) => condition == null)
}

/** The LIKE pattern of texts that contain the given one. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** A keyset page: at most `limit` rows between `after` and `before`, the last ones if `backwards`. */
export interface KeysetPage {
  after?: string | undefined
  before?: string | undefined
  limit: number
  backwards: boolean
}

/** The conditions of a page of rows in the order of the column. */
export function keysetConditions({ after, before }: KeysetPage, column: string): Optional[] {
  return [
    after !== undefined && sql<boolean>`${sql.ref(column)} > ${after}`,
    before !== undefined && sql<boolean>`${sql.ref(column)} < ${before}`,
  ]
}
