/**
 * A page by keys instead of an offset: at most `limit` rows after `after` and before `before`, from the end if
 * `backwards`.
 */
export interface KeysetPage {
  after?: string | undefined
  before?: string | undefined
  limit: number
  backwards: boolean
}
