import { crc32 } from 'node:zlib'
import { type Entry, fromRandomAccessReader, type ZipFile } from 'yauzl'
import { messageOf } from '../../../errors.ts'
import { UsageError } from '../../usage-error.ts'
import { createSizeLimit } from '../bytes/bytes.ts'
import { BrokenFile } from '../row.ts'
import { Pieces } from './pieces.ts'

/**
 * Opens a file of an archive by its path, in any case, as OPC has it; undefined: the archive does not have it. After
 * the beginning of the last one no other is read.
 */
export type OpenEntry = (path: string, isLast?: boolean) => AsyncIterable<Buffer> | undefined

const maxPacked = 100 * 1024 * 1024
/** A workbook has a few files for each sheet. */
const maxEntries = 10_000

/** Reads the directory of a ZIP archive, which is in memory. Throws a UsageError if it is too large, or is none. */
export async function openZip(chunks: AsyncIterable<Buffer>): Promise<OpenEntry> {
  const pieces = new Pieces()
  for await (const chunk of chunks) {
    pieces.add(chunk)
    if (pieces.size > maxPacked) throw new UsageError(`a spreadsheet must have at most ${maxPacked} bytes`)
  }
  try {
    const zip = await opened(pieces)
    if (zip.entryCount > maxEntries)
      throw new Error(`it has ${zip.entryCount} files, at most ${maxEntries} are allowed`)
    const entries = await entriesOf(zip)
    return (path, isLast = false) => {
      const entry = entries.get(path.toLowerCase())
      const begin = () => {
        pieces.isLast = isLast
      }
      return entry && contentOf(zip, entry, begin)
    }
  } catch (error) {
    throw new UsageError(`the file must be a spreadsheet in XLSX: ${messageOf(error)}`)
  }
}

function opened(pieces: Pieces): Promise<ZipFile> {
  // Names stay bytes: yauzl refuses those that begin with a slash, which some programs write.
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false }
  return new Promise((resolve, reject) => {
    fromRandomAccessReader(pieces, pieces.size, options, (error, zip) => (error ? reject(error) : resolve(zip)))
  })
}

function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  return new Promise((resolve, reject) => {
    const entries = new Map<string, Entry>()
    zip.on('entry', (entry: Entry) => {
      entries.set(String(entry.fileName).replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase(), entry)
      zip.readEntry()
    })
    zip.on('end', () => resolve(entries))
    zip.on('error', reject)
    zip.readEntry()
  })
}

async function* contentOf(zip: ZipFile, entry: Entry, begin: () => void): AsyncGenerator<Buffer> {
  begin()
  const limit = createSizeLimit()
  limit.packed(entry.compressedSize)
  try {
    const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
      zip.openReadStream(entry, (error, opening) => (error ? reject(error) : resolve(opening)))
    })
    let checksum = 0
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      limit.unpacked(chunk.length)
      checksum = crc32(chunk, checksum)
      yield chunk
    }
    if (checksum !== entry.crc32) throw new Error(`the checksum of ${entry.fileName} is wrong`)
  } catch (error) {
    throw error instanceof BrokenFile
      ? error
      : new BrokenFile(`the spreadsheet cannot be unpacked: ${messageOf(error)}`)
  }
}
