import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { UsageError } from './usage-error.ts'

/** A file that is about to be read, once. */
export interface InputFile {
  /** In bytes; 0 for what has no size, as a pipe. */
  size: number
  /** Whether it can be read again from its start, as a pipe cannot. */
  isRepeatable: boolean
  /** How much of it has been read. */
  bytesRead(): number
  /** Reads its content from the start. */
  open(): AsyncIterable<Buffer>
  close(): Promise<void>
}

/** What is made of a part of the file lives until all of it is. With little at a time most of it is gone when garbage is collected. */
const partSize = 32 * 1024

/** The SHA-256 of what the file holds. */
export async function contentHash(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** Opens a file for reading. Throws a UsageError that says why it cannot be read. */
export async function openInput(path: string): Promise<InputFile> {
  const handle = await open(path).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`)
  })
  const stats = await handle.stat()
  if (stats.isDirectory()) {
    await handle.close()
    throw new UsageError(`${path} cannot be read: it is a directory`)
  }
  let read = 0
  return {
    size: stats.size,
    isRepeatable: stats.isFile(),
    bytesRead: () => read,
    open: () => {
      read = 0
      return readAll(handle, stats.isFile(), (bytes) => (read += bytes))
    },
    close: () => handle.close(),
  }
}

async function* readAll(handle: FileHandle, isFile: boolean, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  const options = { autoClose: false, highWaterMark: partSize, ...(isFile && { start: 0 }) }
  for await (const chunk of handle.createReadStream(options) as AsyncIterable<Buffer>) {
    onRead(chunk.length)
    yield chunk
  }
}
