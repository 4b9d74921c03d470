import { type Entry, fromBuffer, type ZipFile } from 'yauzl'
import { messageOf } from '../../../errors.ts'
import { UsageError } from '../../usage-error.ts'
import { createSizeLimit } from '../bytes/bytes.ts'
import { BrokenFile } from '../row.ts'

/** Opens a file of an archive by its path, in any case, as OPC has it; undefined: the archive does not have it. */
export type OpenEntry = (path: string) => AsyncIterable<Buffer> | undefined

const maxPacked = 100 * 1024 * 1024
/** A workbook has a few files for each sheet. */
const maxEntries = 10_000

/** Reads the directory of a ZIP archive, which is in memory. Throws a UsageError if it is too large, or is none. */
export async function openZip(chunks: AsyncIterable<Buffer>): Promise<OpenEntry> {
  const parts: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > maxPacked) throw new UsageError(`a spreadsheet must have at most ${maxPacked} bytes`)
    parts.push(chunk)
  }
  try {
    const zip = await opened(Buffer.concat(parts, size))
    if (zip.entryCount > maxEntries)
      throw new Error(`it has ${zip.entryCount} files, at most ${maxEntries} are allowed`)
    const entries = await entriesOf(zip)
    return (path) => {
      const entry = entries.get(path.toLowerCase())
      return entry && contentOf(zip, entry)
    }
  } catch (error) {
    throw new UsageError(`the file must be a spreadsheet in XLSX: ${messageOf(error)}`)
  }
}

function opened(bytes: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true, autoClose: false }, (error, zip) => (error ? reject(error) : resolve(zip)))
  })
}

function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  return new Promise((resolve, reject) => {
    const entries = new Map<string, Entry>()
    zip.on('entry', (entry: Entry) => {
      entries.set(entry.fileName.toLowerCase(), entry)
      zip.readEntry()
    })
    zip.on('end', () => resolve(entries))
    zip.on('error', reject)
    zip.readEntry()
  })
}

async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  const limit = createSizeLimit()
  limit.packed(entry.compressedSize)
  try {
    const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
      zip.openReadStream(entry, (error, opening) => (error ? reject(error) : resolve(opening)))
    })
    for await (const chunk of stream) {
      limit.unpacked(chunk.length)
      yield chunk as Buffer
    }
  } catch (error) {
    throw error instanceof BrokenFile
      ? error
      : new BrokenFile(`the spreadsheet cannot be unpacked: ${messageOf(error)}`)
  }
}
