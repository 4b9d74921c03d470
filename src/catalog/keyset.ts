/** A page by keys rather than by offset: rows beyond `after`, up to `before`, at most `limit`, read from the end if `backwards`. */
export interface KeysetPage {
  after?: string | undefined
  before?: string | undefined
  limit: number
  backwards: boolean
}
