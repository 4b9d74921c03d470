import { EventSource } from 'eventsource'
import { onTestFinished } from 'vitest'
import type { Event } from '../../../src/live/event.ts'
import { token as administrator } from '../../support/servers/gateway.ts'

/** An EventSource and what it has received. It is closed when the test ends. */
export function follow(url: string, query: Record<string, string>, token = administrator) {
  const events: Event[] = []
  const statuses: number[] = []
  const goodbyes: string[] = []
  let connection = new AbortController()
  const source = new EventSource(`${url}/v1/events?${new URLSearchParams(query)}`, {
    fetch: async (input, init) => {
      const headers = { ...init.headers, authorization: `Bearer ${token}` }
      const response = await fetch(input, { ...init, headers })
      statuses.push(response.status)
      connection = new AbortController()
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      response.body?.pipeTo(writable, { signal: connection.signal }).catch(() => {})
      return new Response(readable, response)
    },
  })
  source.onmessage = ({ data, lastEventId }) => {
    const event: Event = JSON.parse(data)
    if (event.cursor !== lastEventId) throw new Error(`the id must be the cursor ${event.cursor}; got ${lastEventId}`)
    events.push(event)
  }
  source.addEventListener('goodbye', ({ data }) => goodbyes.push(data))
  onTestFinished(() => source.close())
  const opened = new Promise<void>((resolve) => {
    source.onopen = () => resolve()
  })
  return { source, events, statuses, goodbyes, opened, cut: () => connection.abort(new Error('the connection is cut')) }
}
