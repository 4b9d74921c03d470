import type { EventEmitter } from 'node:events'

/** A line between the primary and a worker, over the channel that Node gives them. */
export interface Line {
  /** Asks the other end. Throws what it throws there, and when the other end is gone. */
  ask<Answer>(question: string, about?: unknown): Promise<Answer>
}

/** What an end of the line answers, by the question. */
export type Answers = Readonly<Record<string, (about: unknown) => unknown>>

/** The process at the other end: a worker of `node:cluster`, or, in a worker, `process` itself. */
type OtherEnd = EventEmitter & {
  send?(message: object, handle: undefined, options: undefined, sent: (error: Error | null) => void): boolean
}

interface Message {
  line: 'catalogue'
  id: number
  question?: string
  about?: unknown
  answer?: unknown
  error?: { message: string; code: unknown }
}

/** Opens this end of a line. */
export function openLine(other: OtherEnd, answers: Answers): Line {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let asked = 0
  const give = (id: number, settle: (waiting: PromiseWithResolvers<unknown>) => void) => {
    const one = waiting.get(id)
    waiting.delete(id)
    if (one) settle(one)
  }
  const send = (message: Omit<Message, 'line'>, failed: (error: Error) => void) =>
    other.send?.({ line: 'catalogue', ...message }, undefined, undefined, (error) => error && failed(error))
  const answer = async ({ id, question = '', about }: Message) => {
    const reply = await outcomeOf(async () => answers[question]?.(about))
    send({ id, ...reply }, () => {}) // nobody is left to hear it
  }
  other.on('message', (message: unknown) => {
    if (!isOurs(message)) return
    const { id, question, error } = message
    if (question !== undefined) void answer(message)
    else if (error) give(id, ({ reject }) => reject(Object.assign(new Error(error.message), { code: error.code })))
    else give(id, ({ resolve }) => resolve(message.answer))
  })
  other.once('disconnect', () => {
    for (const id of waiting.keys()) give(id, ({ reject }) => reject(new Error('the other process has ended')))
  })
  return {
    ask: <Answer>(question: string, about?: unknown) => {
      const one = Promise.withResolvers<unknown>()
      const id = asked++
      waiting.set(id, one)
      send({ id, question, about }, (error) => give(id, ({ reject }) => reject(error)))
      return one.promise as Promise<Answer>
    },
  }
}

function isOurs(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'line' in message && message.line === 'catalogue'
}

async function outcomeOf(work: () => Promise<unknown>): Promise<Pick<Message, 'answer' | 'error'>> {
  try {
    return { answer: await work() }
  } catch (error) {
    const { message, code } = error as Error & { code?: unknown }
    return { error: { message, code } }
  }
}
