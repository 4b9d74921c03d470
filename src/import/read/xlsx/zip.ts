import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromRandomAccessReader, RandomAccessReader, type ZipFile } from 'yauzl'
import { messageOf } from '../../../errors.ts'
import { UsageError } from '../../usage-error.ts'
import { createSizeLimit } from '../bytes/bytes.ts'
import { BrokenFile } from '../row.ts'

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
  const file = new FileInMemory()
  for await (const chunk of chunks) {
    file.add(chunk)
    if (file.size > maxPacked) throw new UsageError(`a spreadsheet must have at most ${maxPacked} bytes`)
  }
  try {
    const zip = await opened(file)
    if (zip.entryCount > maxEntries)
      throw new Error(`it has ${zip.entryCount} files, at most ${maxEntries} are allowed`)
    const entries = await entriesOf(zip)
    return (path, isLast = false) => {
      const entry = entries.get(path.toLowerCase())
      const begin = () => {
        file.isLast = isLast
      }
      return entry && contentOf(zip, entry, begin)
    }
  } catch (error) {
    throw new UsageError(`the file must be a spreadsheet in XLSX: ${messageOf(error)}`)
  }
}

function opened(file: FileInMemory): Promise<ZipFile> {
  // Names stay bytes: yauzl refuses those that begin with a slash, which some programs write.
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false }
  return new Promise((resolve, reject) => {
    fromRandomAccessReader(file, file.size, options, (error, zip) => (error ? reject(error) : resolve(zip)))
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

/** So large a block goes back to the system at once: see bin/catalog. */
const pieceBytes = 1024 * 1024

/** A file in memory, for `yauzl`. When its last part is read, it gives back what is before. */
export class FileInMemory extends RandomAccessReader {
  readonly #pieces: (Buffer | undefined)[] = []
  size = 0
  /** Whether no byte before the next one that is read will be read again. */
  isLast = false

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const from = this.size % pieceBytes
      if (from === 0) this.#pieces.push(Buffer.allocUnsafe(pieceBytes))
      const copied = chunk.copy(this.#pieces.at(-1) ?? chunk, from, at)
      at += copied
      this.size += copied
    }
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#range(start, end), { objectMode: false })
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    let at = offset
    try {
      for (const bytes of this.#range(position, position + length)) at += bytes.copy(buffer, at)
      setImmediate(callback, at < offset + length ? new Error(`it ends before byte ${position + length}`) : null)
    } catch (error) {
      setImmediate(callback, error as Error)
    }
  }

  *#range(start: number, end: number): Generator<Buffer> {
    for (let at = start; at < Math.min(end, this.size); ) {
      const index = Math.floor(at / pieceBytes)
      if (this.isLast) this.#pieces.fill(undefined, 0, index)
      const from = at % pieceBytes
      const bytes = this.#pieces[index]?.subarray(from, from + end - at)
      if (!bytes) throw new Error(`byte ${at} was read before and given back`)
      at += bytes.length
      yield bytes
    }
  }
}
