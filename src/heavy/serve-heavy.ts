import type { MessagePort } from 'node:worker_threads'
import { pino } from 'pino'
import { connect } from '../database/connect.ts'
import { createDoors, type Doors } from '../doors.ts'
import { type RequestScope, requestScope } from '../request-scope.ts'
import { farFilter } from './far-filter.ts'
import type { FromThread, HeavyAnswer, HeavyRequest, ThreadData, ToThread } from './messages.ts'
import { scopeOf } from './scope.ts'

interface UnderWay {
  id: number
  request: HeavyRequest
}

/** Answers heavy requests as they are told through the port: the same two doors, over connections of their own. */
export function serveHeavy(port: MessagePort, data: ThreadData): void {
  const post = (message: FromThread, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)
  const log = pino({ level: data.logLevel, base: null }, { write: (line: string) => post({ type: 'log', line }) })
  const db = connect(data.connection, (error) => log.warn({ reason: error.message }, 'a database connection broke'))
  const underWay = new WeakMap<RequestScope, UnderWay>()
  const current = () => currentOf(underWay)
  const remote = farFilter((call, question) => post({ type: 'filter', id: current().id, call, question }))
  const doors = createDoors({
    ...{ db, log, introspection: data.introspection, persistedDocuments: data.persistedDocuments, pageCacheMb: 1 },
    authenticate: async () => current().request.caller,
    enumerations: () => current().request.enumerations,
    filter: data.hasFilter ? remote.filter : undefined,
    jobQueued: () => post({ type: 'job queued' }),
  })
  const leaves = new Map<number, () => void>()
  const serve = async (message: ToThread & { type: 'request' }) => {
    const { id, request } = message
    const { scope, leave } = scopeOf(message, post)
    underWay.set(scope, { id, request })
    leaves.set(id, leave)
    try {
      const answer = await requestScope.run(scope, answerOf, doors, request, scope.requestId.text)
      const { operation, isWrite } = scope
      post({ type: 'answer', id, answer: { ...answer, operation, isWrite } }, answer.body ? [answer.body.buffer] : [])
    } catch (error) {
      post({ type: 'failure', id, message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
    leaves.delete(id)
  }
  port.on('message', (message: ToThread) => {
    if (message.type === 'request') void serve(message)
    else if (message.type === 'gone') leaves.get(message.id)?.()
    else if (message.type === 'filtered') remote.answered(message.call, message.page)
    else void db.destroy().finally(() => port.close())
  })
}

function currentOf(underWay: WeakMap<RequestScope, UnderWay>): UnderWay {
  const scope = requestScope.getStore()
  const current = scope && underWay.get(scope)
  if (!current) throw new Error('no request is under way')
  return current
}

async function answerOf(
  doors: Doors,
  { door, caller, method, path, search, headers, body }: HeavyRequest,
  requestId: string,
): Promise<Omit<HeavyAnswer, 'operation' | 'isWrite'>> {
  const answer =
    door === 'rest'
      ? await doors.rest({
          ...{ method, path, search, requestId },
          header: (name) => headers[name],
          body: async () => body ?? new Uint8Array(),
        })
      : await doors.graphql(
          { method, search, accept: headers.accept ?? '', contentType: headers['content-type'], body },
          caller,
          requestId,
        )
  return {
    status: answer.status,
    headers: answer.headers,
    body: answer.body === undefined ? undefined : bytesOf(answer.body),
  }
}

/** Bytes in memory of their own, which can be handed over without a copy. */
function bytesOf(body: string | Buffer | readonly Buffer[]): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  return new Uint8Array(Buffer.isBuffer(body) ? body : Buffer.concat(body))
}
