import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { parsedJson, shown } from '../text.ts'
import { BackupReader, damaged } from './backup-reader.ts'
import {
  commit,
  encoding,
  endLine,
  type Header,
  headerShape,
  type Part,
  partOf,
  preparing,
  type RowCounts,
  rebuilding,
  tablesOf,
} from './format.ts'

type CopyIn = (target: string, text: AsyncIterable<Buffer>) => Promise<void>

/** Gets each part of a backup with the function that reads its rows, which it calls once. */
export type OnPart = (part: Part, readRows: (copyIn: CopyIn) => Promise<RowCounts>) => Promise<void>

export interface BackupContent {
  header: Header
  parts: Part[]
  rows: RowCounts
  sha256: string
}

/** Reads a backup to its end. Throws an error with a sentence that says where the file differs from a whole backup. */
export async function readBackup(path: string, onPart: OnPart): Promise<BackupContent> {
  const file = createReadStream(path, { highWaterMark: 256 * 1024 })
  const text = path.endsWith('.gz') ? pipeline(file, createGunzip(), () => {}) : file
  try {
    return await read(new BackupReader(path, text), onPart)
  } finally {
    file.destroy()
  }
}

/** Reads the rows to nowhere. */
export const onlyRead: OnPart = async (_part, readRows) => {
  await readRows(async (_target, text) => {
    for await (const _rows of text);
  })
}

async function read(reader: BackupReader, onPart: OnPart): Promise<BackupContent> {
  const header = await readHeader(reader)
  await reader.expect(encoding, `the line ${shown(encoding)}`)
  const rows: RowCounts = {}
  const parts: Part[] = []
  for (;;) {
    const sha256 = reader.digest()
    const line = await reader.line()
    const part = partOf(line)
    if (part === null) {
      if (line !== endLine(rows, sha256)) {
        const expected = 'expected the end line with the numbers and the SHA-256 of what was read'
        throw damaged(reader.path, `: ${expected}; got ${shown(line)}`)
      }
      await reader.expectEnd()
      return { header, parts, rows, sha256 }
    }
    parts.push(part)
    await onPart(part, async (copyIn) => {
      const read = await readPart(reader, part, header, copyIn)
      for (const [table, count] of Object.entries(read)) rows[table] = (rows[table] ?? 0) + count
      return read
    })
  }
}

async function readHeader(reader: BackupReader): Promise<Header> {
  const line = await reader.line()
  const { data } = headerShape.safeParse(parsedJson(line.replace(/^-- /, '')))
  if (data) return data
  const expected = 'expected the first line of a backup of this format, -- {"catalogue_backup":2,…}'
  throw new Error(`${reader.path} cannot be restored: ${expected}; got ${shown(line)}`)
}

async function readPart(reader: BackupReader, part: Part, header: Header, copyIn: CopyIn): Promise<RowCounts> {
  const isStore = part !== undefined
  if (isStore) for (const line of preparing(header, part)) await reader.expect(line, `the line ${shown(line)}`)
  const last = isStore ? rebuilding(part) : commit
  const rows: RowCounts = Object.fromEntries(tablesOf(part, header).map((table) => [table, 0]))
  for (;;) {
    const line = await reader.line()
    if (line === last) break
    const [, table = '', columns] = /^copy (\w+) \(([\w", ]+)\) from stdin;$/.exec(line) ?? []
    if (!Object.hasOwn(rows, table)) {
      throw damaged(reader.path, `: expected rows, or the line ${shown(last)}; got ${shown(line)}`)
    }
    rows[table] = await reader.copyRows((text) => copyIn(`${table} (${columns})`, text))
  }
  if (isStore) await reader.expect(commit, `the line ${shown(commit)}`)
  return rows
}
