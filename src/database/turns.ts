/** Why a connection cannot be had now. PostgreSQL says the same with this code when it has too many clients. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn'
  readonly code = '53300'
}

/** Who waits for a turn, and how to hear that there is nobody left to wait for. */
export interface Waiter {
  /** Whose request it is: turns go round among callers, not among requests. */
  caller: string
  /** Calls back when the one who waits for the answer has gone; returns how to stop listening. */
  onGone?: ((gone: () => void) => () => void) | undefined
}

export interface Turns {
  /** Resolves, in the end, with the way to give the turn back. Throws `NoTurn` at once when too many wait, or when the wait was too long. */
  take(waiter: Waiter): Promise<() => void>
  waiting(): number
}

export interface TurnOptions {
  /** How many have a turn at once. */
  most: number
  /** How many may wait. */
  mostWaiting: number
  /** How long a wait may be, in ms; 0 for ever. */
  waitMs: number
}

interface Place {
  caller: string
  /** Gives the place its turn, or the reason why it will have none. */
  end(outcome: 'turn' | NoTurn): void
}

/**
 * Shares a few turns out. The callers that wait are served in a circle, each one's requests in the order in which they came, so that a caller with a
 * thousand requests delays another by no more than one round. When the queue is full, the longest line loses its last place.
 */
export function createTurns({ most, mostWaiting, waitMs }: TurnOptions): Turns {
  const lines = new Map<string, Place[]>()
  let free = most
  let waiting = 0

  const leave = (place: Place) => {
    const line = lines.get(place.caller) ?? []
    const at = line.indexOf(place)
    if (at < 0) return
    line.splice(at, 1)
    waiting--
    if (line.length === 0) lines.delete(place.caller)
  }
  const giveBack = () => {
    const [next] = lines
    const place = next?.[1][0]
    if (!next || !place) {
      free++
      return
    }
    leave(place)
    if (lines.size > 1 && lines.delete(next[0])) lines.set(...next)
    place.end('turn')
  }
  const makeRoom = (caller: string) => {
    if (waiting < mostWaiting) return
    const own = lines.get(caller)?.length ?? 0
    const longest = [...lines.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
    const last = longest.length > own ? longest.at(-1) : undefined
    if (!last) throw new NoTurn(`at most ${mostWaiting} requests may wait for the database`)
    leave(last)
    last.end(new NoTurn('the request lost its place to a caller who waits for less'))
  }
  const wait = ({ caller, onGone }: Waiter) =>
    new Promise<() => void>((resolve, reject) => {
      const stop = (reason: string) => {
        leave(place)
        place.end(new NoTurn(reason))
      }
      const late = waitMs > 0 ? setTimeout(stop, waitMs, `no connection was free for ${waitMs} ms`) : undefined
      const deaf = onGone?.(() => stop('the client has gone'))
      const place: Place = {
        caller,
        end: (outcome) => {
          clearTimeout(late)
          deaf?.()
          if (outcome === 'turn') resolve(onlyOnce(giveBack))
          else reject(outcome)
        },
      }
      const line = lines.get(caller)
      if (line) line.push(place)
      else lines.set(caller, [place])
      waiting++
    })
  return {
    take: async (waiter) => {
      if (free > 0) {
        free--
        return onlyOnce(giveBack)
      }
      makeRoom(waiter.caller)
      return wait(waiter)
    },
    waiting: () => waiting,
  }
}

function onlyOnce(work: () => void): () => void {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}
