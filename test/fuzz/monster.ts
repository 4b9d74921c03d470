import { token } from '../support/gateway.ts'
import { type WireRequest, wireRequest } from './wire-request.ts'
import type { World } from './world.ts'

/** A request that is well formed, no larger than what is taken, and made to exhaust something: the stack, the memory, the time. */
export interface Monster {
  name: string
  request(world: World): WireRequest
}

/** What a monster is about: a store and one of its products. */
export interface Victim {
  store: string
  code: string
}

/** A monster whose parts are made when it is sent, for some of them are large. */
export function monster(
  name: string,
  method: string,
  target: (victim: Victim) => string,
  body: (victim: Victim) => string,
): Monster {
  return {
    name,
    request: ({ stores: [store = ''], codes: [code = ''] }) => {
      const path = target({ store, code })
      return wireRequest({
        door: path === '/graphql' ? 'graphql' : 'rest',
        method,
        target: path,
        version: '1.1',
        headers: [
          ['Authorization', `Bearer ${token}`],
          ['Content-Type', 'application/json'],
        ],
        body: Buffer.from(body({ store, code })).toString('latin1'),
        framing: 'length',
      })
    },
  }
}

/** A text for each number from 0, one after the other. */
export function times(count: number, text: (i: number) => string, separator = ''): string {
  return Array.from({ length: count }, (_, i) => text(i)).join(separator)
}

/** Brackets within brackets. */
export function nested(open: string, close: string, levels: number, inside = ''): string {
  return open.repeat(levels) + inside + close.repeat(levels)
}
