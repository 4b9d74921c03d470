import type { components } from './openapi.ts'
import { type Call, CatalogueApiError, type ClientOptions, passing, pause, sendForFile } from './send.ts'

export type CatalogueEvent = components['schemas']['Change']

const reconnectMs = 3_000

/** The events of a stream, without an end: after a lost connection it goes on after the last event. */
export async function* follow(options: ClientOptions, call: Call): AsyncGenerator<CatalogueEvent> {
  let lastEventId: string | undefined
  while (!call.signal?.aborted) {
    try {
      const { body } = await sendForFile(options, { ...call, lastEventId })
      for await (const { id, event, data } of messagesOf(body)) {
        lastEventId = id ?? lastEventId
        if (event === undefined && data !== undefined) yield JSON.parse(data)
      }
    } catch (error) {
      if (call.signal?.aborted || (error instanceof CatalogueApiError && !passing.includes(error.status))) throw error
    }
    await pause(reconnectMs, call.signal)
  }
}

/** The messages of the gateway: one line for each field, and no other line ends. */
async function* messagesOf(body: Response['body']): AsyncGenerator<Record<string, string | undefined>> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  try {
    let rest = ''
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      const messages = (rest + read.value).split('\n\n')
      rest = messages.pop() ?? ''
      for (const message of messages) yield Object.fromEntries(message.split('\n').map((line) => line.split(/: (.*)/s)))
    }
  } finally {
    await reader?.cancel().catch(() => {})
  }
}
