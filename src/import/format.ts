/** The formats of files that can be imported, by the endings of their names. */
export const formats = ['csv', 'jsonl', 'json'] as const
export type Format = (typeof formats)[number]
