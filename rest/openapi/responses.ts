import type { z } from 'zod'
import { statusOf } from '../../src/errors.ts'
import { tableFormats } from '../answers/table.ts'
import type { Endpoint } from '../endpoint.ts'
import { failure } from '../response/data-shapes.ts'
import { answerNameOf, errorReasons } from './error-reasons.ts'
import examples from './examples.json' with { type: 'json' }
import { answerHeaders, kindsOf } from './headers.ts'
import type { Json, Schemas } from './schemas.ts'

/** A request and its answer. A test runs the request and compares the answer. */
export interface Example {
  name: string
  summary: string
  method: string
  path: string
  query: Record<string, string>
  body?: unknown
  status: number
  answer: unknown
}

type Shown = Pick<Example, 'name' | 'summary' | 'body' | 'answer'>

export const keptExamples: readonly Example[] = examples

export function content(
  schema: Json,
  examples: readonly Shown[],
  part: 'body' | 'answer',
  type = 'application/json',
): Json {
  const named = Object.fromEntries(examples.map((one) => [one.name, { summary: one.summary, value: one[part] }]))
  return { [type]: { schema, ...(examples.length > 0 && { examples: named }) } }
}

/** A body that is a file. */
export function fileContent(examples: readonly Shown[]): Json {
  return content({ type: 'string', format: 'binary' }, examples, 'body', '*/*')
}

/** An answer that is a file; the examples are CSV. */
export function fileResponse(examples: readonly Shown[]): Json {
  const schema = { type: 'string' }
  return {
    description: 'The file.',
    headers: answerHeaders(['reads']),
    content: {
      ...content(schema, examples, 'answer', 'text/csv'),
      'application/jsonl': { schema },
      'application/json': { schema },
    },
  }
}

/** The error answers of an endpoint: a map from HTTP status to a reference into the components. */
export function errorResponses(endpoint: Endpoint, namesStore: boolean): Json {
  const { isWrite, answers, extraReasons = [] } = endpoint
  const applies = { all: true, writes: isWrite, filtered: answers.kind === 'listing', stores: namesStore }
  const possible = errorReasons.filter(({ reason, on }) =>
    on === 'named' ? extraReasons.includes(reason) : applies[on],
  )
  return Object.fromEntries(
    possible.map((one) => [statusOf(one.reason), { $ref: `#/components/responses/${answerNameOf(one)}` }]),
  )
}

/** Not recorded: no request provokes it. */
const unexpectedError = {
  name: 'unexpected-error',
  summary: 'An unexpected error',
  status: 500,
  answer: {
    status: { code: -1, message: 'ERROR', request_id: 'example-unexpected-error' },
    data: { error_info: [{ reason: 'internal_error', details: 'internal error; it has been logged' }] },
  },
}

/** The components that `errorResponses` refers to: one answer per status, with its reason and examples. */
export function responseComponents(schemas: Schemas): Json {
  const schema = schemas.named('Error', failure)
  return Object.fromEntries(
    errorReasons.map((one) => {
      const { reason, meaning } = one
      const status = statusOf(reason)
      const ofReason = `"error_info":[{"reason":"${reason}"`
      const examples = [...keptExamples, unexpectedError].filter(
        (example) => example.status === status && JSON.stringify(example.answer).includes(ofReason),
      )
      const description = `\`${reason}\`: ${meaning}`
      const answer = { description, headers: answerHeaders([status]), content: content(schema, examples, 'answer') }
      return [answerNameOf(one), answer]
    }),
  )
}

export const notModified: Json = {
  description: 'The answer is unchanged since the given `ETag`.',
  headers: answerHeaders(['asset listing']),
}

/** What `Accept` may ask for instead of the envelope. */
const tableContent = Object.fromEntries(tableFormats.map((format) => [format, { schema: { type: 'string' } }]))

export function successResponse(schema: Json, examples: readonly Example[], endpoint: Endpoint): Json {
  const { kind } = endpoint.answers
  const shapes = Object.entries<z.ZodType>(endpoint.dataShape.shape)
  const members = shapes.map(([name, { description }]) => `- \`${name}\`: ${description}`)
  return {
    description: `\`data\` has:\n\n${members.join('\n')}`,
    headers: answerHeaders(kindsOf(endpoint)),
    content:
      kind === 'events'
        ? content({ type: 'string' }, examples, 'answer', 'text/event-stream')
        : { ...content(schema, examples, 'answer'), ...(kind === 'table' && tableContent) },
  }
}
