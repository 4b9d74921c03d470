import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** The requests whose clients wait for `100 Continue` before they send the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/** Serves requests with `Expect: 100-continue` as all others. Node would let each send its body, also to be refused. */
export function serveExpecting(server: Server): void {
  server.on('checkContinue', (request, response) => {
    waiting.set(request, response)
    server.emit('request', request, response)
  })
}

/** Lets a waiting client send the body, when it is to be read: what is refused before gets its answer at once. */
export function sendContinue(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue()
  waiting.delete(request)
}
