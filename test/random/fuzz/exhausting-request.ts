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

/** An exhausting request, whose body is made when it is sent. STORE in the operation stands for the store. */
export function exhausting(name: string, operation: string, body: (subject: Subject) => string): ExhaustingRequest {
  const [method = '', path = ''] = operation.split(' ')
  return {
    name,
    request: ({ stores: [store = ''], codes: [code = ''] }) =>
      wireRequest({
        api: path === '/graphql' ? 'graphql' : 'rest',
        method,
        target: path.replace('STORE', store),
        version: '1.1',
        headers: [
          ['Authorization', `Bearer ${token}`],
          ['Content-Type', 'application/json'],
        ],
        body: Buffer.from(body({ store, code })).toString('latin1'),
        framing: 'length',
      }),
  }
}

export function times(count: number, text: (i: number) => string, separator = ''): string {
  return Array.from({ length: count }, (_, i) => text(i)).join(separator)
}

export function nested(open: string, close: string, levels: number, inside = ''): string {
  return open.repeat(levels) + inside + close.repeat(levels)
}
