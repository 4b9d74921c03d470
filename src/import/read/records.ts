/** What was found in bytes: records, how many bytes they take, and why there are no more of them. */
interface Taken<T> {
  records: T[]
  used: number
  broken?: Error | undefined
}

/** Finds a file's records and yields those of each part together. `take` gets the bytes that are not used up yet. */
export async function* recordsOf<T>(
  chunks: AsyncIterable<Buffer>,
  take: (bytes: Buffer, isLast: boolean) => Taken<T>,
): AsyncGenerator<T[]> {
  let waiting: Buffer[] = []
  let rest = 0
  let size = 0
  const takeAll = (isLast: boolean) => {
    const bytes = Buffer.concat(waiting)
    const taken = take(bytes, isLast)
    waiting = [bytes.subarray(taken.used)]
    rest = size = bytes.length - taken.used
    return taken
  }
  for await (const chunk of chunks) {
    waiting.push(chunk)
    size += chunk.length
    // A long record is not searched again for each small part of it that comes in.
    if (size < 2 * rest) continue
    const { records, broken } = takeAll(false)
    yield records
    if (broken) throw broken
  }
  const { records, broken } = takeAll(true)
  yield records
  if (broken) throw broken
}
