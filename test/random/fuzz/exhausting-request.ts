import { token } from '../../support/servers/gateway.ts'
import type { Fixture } from './fixture.ts'
import { type WireRequest, wireRequest } from './wire-request.ts'

/** A well-formed request of accepted size that is made to exhaust something: the stack, the memory, the time. */
export interface ExhaustingRequest {
  name: string
  request(fixture: Fixture): WireRequest
}

export interface Subject {
  store: string
  code: string
}

/** An exhausting request whose parts are made when it is sent, for some of them are large. */
export function exhausting(
  name: string,
  method: string,
  target: (subject: Subject) => string,
  body: (subject: Subject) => string,
): ExhaustingRequest {
  return {
    name,
    request: ({ stores: [store = ''], codes: [code = ''] }) => {
      const path = target({ store, code })
      return wireRequest({
        api: path === '/graphql' ? 'graphql' : 'rest',
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

export function times(count: number, text: (i: number) => string, separator = ''): string {
  return Array.from({ length: count }, (_, i) => text(i)).join(separator)
}

export function nested(open: string, close: string, levels: number, inside = ''): string {
  return open.repeat(levels) + inside + close.repeat(levels)
}
