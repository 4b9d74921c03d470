import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  executeSubscriptionEvent,
  type GraphQLSchema,
  validateSubscriptionArgs,
} from 'graphql'
import type { Context } from './context.ts'
import { requireShort } from './limits/answer-size.ts'

/** Opens the source of a subscription, or returns the errors that prevent it. */
export type Subscribe = (
  variables: Record<string, unknown>,
  context: Context,
) => Promise<{ errors: readonly unknown[] } | Subscribed>

export interface Subscribed {
  events: AsyncIterable<unknown>
  /** Executes the operation for an event, in a context of its own. */
  execute(event: unknown, context: Context): ExecutionResult | Promise<ExecutionResult>
}

export function createSubscribe(schema: GraphQLSchema, document: DocumentNode, operationName?: string): Subscribe {
  return async (variableValues, contextValue) => {
    const args = validateSubscriptionArgs({ schema, document, operationName, variableValues, contextValue })
    if (!('operation' in args)) return { errors: args }
    const source = await createSourceEventStream(args)
    if (!(Symbol.asyncIterator in source)) return { errors: source.errors ?? [] }
    const execute: Subscribed['execute'] = (event, context) =>
      executeSubscriptionEvent({ ...args, rootValue: event, contextValue: context })
    return { events: source, execute }
  }
}

/** The results of the events, as JSON. */
export async function* resultsOf(
  { events, execute }: Subscribed,
  mayRepeat: boolean,
  newContext: () => Context,
  shown: (errors: readonly unknown[]) => readonly unknown[],
): AsyncGenerator<string> {
  for await (const event of events) {
    const { data, errors } = await execute(event, newContext())
    try {
      if (mayRepeat) requireShort(data)
      yield JSON.stringify({ data, ...(errors && { errors: shown(errors) }) })
    } catch (error) {
      yield JSON.stringify({ errors: shown([error]) })
    }
  }
}
