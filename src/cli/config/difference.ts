/** Something that the file has and the store has not, or the reverse, or that differs. */
export interface Difference {
  action: 'add' | 'change' | 'remove'
  kind: 'attribute' | 'requirement' | 'token' | 'webhook'
  name: string
  before?: unknown
  after?: unknown
}
