import { type DocumentNode, type GraphQLSchema, getOperationAST, OperationTypeNode, parse, validate } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../auth/caller.ts'
import type { Guard } from './guard.ts'
import { compileWhenRunAgain, interpret, type Run } from './interpret.ts'

/** An operation that may be run at once: its document is valid, and the caller may have it. */
export interface KnownOperation {
  document: DocumentNode
  operationName: string | undefined
  run: Run
}

/** Finds the operation; undefined when anything is wrong with it, or when it is a subscription. */
export type FindOperation = (
  query: string,
  operationName: string | undefined,
  caller: Caller,
) => KnownOperation | undefined

interface KnownDocument {
  document: DocumentNode
  runs: Map<string | undefined, Run>
}

const mostDocuments = 200
const longestDocument = 10_000

/**
 * Remembers documents that are sound, so that they are parsed and validated once, and compiled when they come again. The guard sees each request all
 * the same. What is wrong with the others is for somebody else to say.
 */
export function createKnownDocuments(schema: GraphQLSchema, guard: Guard): FindOperation {
  const documents = new LRUCache<string, KnownDocument>({ max: mostDocuments })

  return (query, operationName, caller) => {
    if (query.length > longestDocument) return undefined
    try {
      const kept = documents.get(keyOf(query, caller))
      const document = kept?.document ?? parsed(query, caller)
      guard.document(document, operationName, caller)
      const known = kept ?? validated(document, query, caller)
      const operation = getOperationAST(document, operationName)
      if (!operation || operation.operation === OperationTypeNode.SUBSCRIPTION) return undefined
      return { document, operationName, run: runOf(known, query, operationName) }
    } catch {
      return undefined
    }
  }

  function parsed(query: string, caller: Caller): DocumentNode {
    guard.text(query)
    return parse(query, { maxTokens: guard.maxTokens(caller) })
  }

  function validated(document: DocumentNode, query: string, caller: Caller): KnownDocument {
    const [error] = validate(schema, document)
    if (error) throw error
    const known = { document, runs: new Map() }
    documents.set(keyOf(query, caller), known)
    return known
  }

  function runOf({ document, runs }: KnownDocument, query: string, operationName: string | undefined): Run {
    // Introspection comes seldom and is long.
    const make = query.includes('__') ? interpret : compileWhenRunAgain
    const run = runs.get(operationName) ?? make(schema, document, operationName)
    runs.set(operationName, run)
    return run
  }

  /** Tokens are limited by the class of the caller's token. */
  function keyOf(query: string, caller: Caller): string {
    return `${guard.maxTokens(caller)} ${query}`
  }
}
