import { type FileHandle, open } from 'node:fs/promises'
import { UsageError } from '../../import/usage-error.ts'

/** A file that is open for reading. */
export interface InputFile {
  /** In bytes; 0 for a file without a size, as a pipe. */
  size: number
  /** Whether it can be read again from its start, unlike a pipe. */
  isRepeatable: boolean
  /** How many bytes have been read. */
  bytesRead(): number
  content(): AsyncIterable<Buffer>
  close(): Promise<void>
}

/** Rows of a part of the file are in memory until all of the part is imported. Few of them survive garbage collections. */
const partSize = 32 * 1024

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
    content: () => readAll(handle, (bytes) => (read += bytes)),
    close: () => handle.close(),
  }
}

async function* readAll(handle: FileHandle, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  const stream = handle.createReadStream({ autoClose: false, highWaterMark: partSize })
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    onRead(chunk.length)
    yield chunk
  }
}
