import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { type Caller, tenantOf } from '../request/caller.ts'

/** A client with more unread bytes, beyond those of the events that are being written, is cut. */
const maxUnreadBytes = 1024 * 1024
/** A client that reads nothing for so long while it catches up is cut. */
const stuckMs = 20_000
/** After so many heartbeats during which it reads nothing, also later. */
const stuckBeats = 2
/** A client that has vanished is noticed before the next heartbeat: unread bytes put off the probes of TCP. */
const keepAliveMs = 4_000

/** The head of an answer of server-sent events. Proxies must not collect them. */
export const eventStreamHeaders = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' }

/** How a stream says that nothing is new, and that the service stops. */
interface Forms {
  heartbeat(): string
  /** Without it the connection is cut: the client would take an end for the end of its operation. */
  goodbye?: string
}

/** An open stream of events to a client. */
export class Stream {
  readonly caller: Caller
  readonly authorization: string | undefined
  readonly #onClose: (() => void)[] = []
  #out: Writable | undefined
  #forms: Forms | undefined
  #isClosed = false
  #sent = 0
  #taken = 0
  #stuckBeats = 0

  constructor(caller: Caller, authorization: string | undefined) {
    this.caller = caller
    this.authorization = authorization
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** By which its reads are queued fairly. */
  get share(): { tenant: string; tokenId: string } {
    return { tenant: tenantOf(this.caller), tokenId: this.caller.tokenId }
  }

  get unreadBytes(): number {
    return this.#out?.writableLength ?? 0
  }

  /** Called once, also if the stream never begins. */
  onClose(call: () => void): void {
    if (this.#isClosed) call()
    else this.#onClose.push(call)
  }

  begin(out: Writable, forms: Forms, first: string): void {
    if (out.destroyed || this.#isClosed) {
      out.end(forms.goodbye)
      this.#close()
      return
    }
    this.#out = out
    this.#forms = forms
    out.once('close', () => this.#close()).on('error', () => {})
    if ('socket' in out && out.socket instanceof Socket) out.socket.setKeepAlive(true, keepAliveMs)
    out.write(first)
  }

  /**
   * Writes events in one go. Cuts a client that does not read the earlier ones. Their bytes are not copied: many
   * streams may hold them.
   */
  send(...events: readonly (Buffer | string)[]): void {
    const out = this.#out
    if (!out || this.#isClosed) return
    if (out.writableLength > maxUnreadBytes) {
      this.cut()
      return
    }
    out.cork()
    for (const event of events) {
      out.write(event)
      this.#sent += Buffer.byteLength(event)
    }
    out.uncork()
  }

  /** Resolves when the client has read what was sent, or is cut; undefined if it has. */
  drained(): Promise<void> | undefined {
    const out = this.#out
    if (!out?.writableNeedDrain || this.#isClosed) return undefined
    return new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.cut(), stuckMs)
      const done = () => {
        clearTimeout(timer)
        out.off('drain', done).off('close', done)
        resolve()
      }
      out.on('drain', done).on('close', done)
    })
  }

  beat(): void {
    const taken = this.#sent - this.unreadBytes
    const isStuck = this.unreadBytes > 0 && taken <= this.#taken
    this.#stuckBeats = isStuck ? this.#stuckBeats + 1 : 0
    this.#taken = taken
    if (this.#stuckBeats >= stuckBeats) this.cut()
    else if (this.#forms) this.send(this.#forms.heartbeat())
  }

  /** Ends with a last event, by default the goodbye; without any the connection is cut. */
  end(last = this.#forms?.goodbye): void {
    if (last === undefined) {
      this.cut()
      return
    }
    if (!this.#isClosed) this.#out?.end(last)
    this.#close()
  }

  /** Closes the connection at once, if the stream has begun. */
  cut(): void {
    this.#out?.destroy()
    this.#close()
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const call of this.#onClose) call()
  }
}
