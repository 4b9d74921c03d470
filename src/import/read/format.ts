/** The formats of files that can be imported, by the extensions of their names. */
export const formats = ['csv', 'jsonl', 'json', 'xlsx', 'xml'] as const
export type Format = (typeof formats)[number]

export const encodings = ['UTF-8', 'UTF-16LE', 'UTF-16BE', 'Windows-1252'] as const
export type Encoding = (typeof encodings)[number]

/** How a file is written, as far as it is known. */
export interface Recognized {
  format: Format
  encoding?: Encoding
  /** Whether it begins with a byte-order mark. */
  bom?: true
  delimiter?: string
  sheet?: string
}
