import { connect } from 'node:net'

export interface WireAnswer {
  status: number
  /** By lower-case name, values as latin1; one that came several times is joined by commas. */
  headers: Record<string, string>
  text: string
}

/** A connection for whatever bytes a test wants to send, broken ones too. */
export interface Wire extends Disposable {
  /** Sends bytes as they are; each character of a string is one byte. */
  send(bytes: string | Uint8Array): void
  /** The next answer, interim ones too; undefined when the connection ends before a whole one has come. */
  answer(options?: { bodiless?: boolean }): Promise<WireAnswer | undefined>
  /** Whether the other side has closed. */
  closed(): boolean
  /** Says that nothing more will be sent. */
  end(): void
  reset(): void
  close(): void
}

interface Head {
  status: number
  headers: Record<string, string>
  bytes: number
}

export async function openWire(url: string): Promise<Wire> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let chunks: Buffer[] = []
  let size = 0
  let over = false
  let wake = () => {}
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    wake()
  })
  const finish = () => {
    over = true
    wake()
  }
  socket.on('end', finish).on('close', finish).on('error', finish)

  const until = async (enough: () => boolean) => {
    while (!enough() && !over) await new Promise<void>((resolve) => (wake = resolve))
    return enough()
  }
  const all = () => {
    chunks = [Buffer.concat(chunks, size)]
    return chunks[0] ?? Buffer.alloc(0)
  }
  const take = (bytes: number) => {
    const whole = all()
    chunks = [whole.subarray(bytes)]
    size -= bytes
    return whole.subarray(0, bytes)
  }
  return {
    send: (bytes) => socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
    answer: async ({ bodiless = false } = {}) => {
      if (!(await until(() => all().includes('\r\n\r\n')))) return undefined
      const { status, headers, bytes } = headOf(all())
      take(bytes)
      const length =
        bodiless || status < 200 || status === 204 || status === 304 ? 0 : Number(headers['content-length'] ?? Infinity)
      if (!(await until(() => size >= length)) && length !== Infinity) return undefined
      return { status, headers, text: take(Math.min(length, size)).toString() }
    },
    closed: () => over,
    end: () => socket.end(),
    reset: () => socket.resetAndDestroy(),
    close: () => socket.destroy(),
    [Symbol.dispose]: () => socket.destroy(),
  }
}

/** The first answer to bytes that are sent on a connection of their own. */
export async function answerTo(url: string, bytes: string | Uint8Array): Promise<WireAnswer> {
  using wire = await openWire(url)
  wire.send(bytes)
  const answer = await wire.answer()
  if (!answer) throw new Error('there is no answer')
  return answer
}

/** Opens so many connections, 200 at a time. */
export async function openWires(url: string, count: number): Promise<Wire[]> {
  const wires: Wire[] = []
  while (wires.length < count) {
    const opening = Array.from({ length: Math.min(200, count - wires.length) }, () => openWire(url))
    wires.push(...(await Promise.all(opening)))
  }
  return wires
}

function headOf(received: Buffer): Head {
  const end = received.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = received.toString('latin1', 0, end).split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  return { status: Number(statusLine.split(' ')[1]), headers, bytes: end + 4 }
}
