/** Whoever looks at the catalogue: which stores are there for them. */
export interface Viewer {
  /** UUIDs in lower case; undefined: every store. */
  readonly stores: ReadonlySet<string> | undefined
}
