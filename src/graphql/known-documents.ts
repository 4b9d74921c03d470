import { type DocumentNode, type GraphQLSchema, getOperationAST, parse } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../auth/caller.ts'
import type { Guard } from './guard.ts'
import { compileWhenRunAgain, interpret, type Run } from './interpret.ts'
import { type Limits, limitsOf } from './limits.ts'
import { mistakesOf } from './mistakes.ts'
import { unclear } from './refusal.ts'

/** An operation that may be run at once: its document is valid, and the caller may have it. */
export interface KnownOperation {
  document: DocumentNode
  operationName: string | undefined
  run: Run
}

/** Finds the operation. Throws what is wrong with the document: a `CatalogueError`, a `GraphQLError`, or several as an `AggregateError`. */
export type FindOperation = (query: string, operationName: string | undefined, caller: Caller) => KnownOperation

interface KnownDocument {
  document: DocumentNode
  runs: Map<string | undefined, Run>
}

const mostDocuments = 200
const longestDocument = 10_000

/**
 * Remembers documents that are sound, so that they are parsed and validated once, and compiled when they come again. The guard sees each request all
 * the same.
 */
export function createKnownDocuments(schema: GraphQLSchema, guard: Guard): FindOperation {
  const byClass = new Map<Limits, LRUCache<string, KnownDocument>>()

  return (query, operationName, caller) => {
    const documents = documentsFor(caller)
    const kept = documents.get(query)
    if (!kept) guard.text(query, caller)
    const document = kept?.document ?? parse(query)
    const operation = getOperationAST(document, operationName)
    if (!operation) throw unclear()
    guard.document(document, operationName, caller)
    const known = kept ?? validated(document)
    if (!kept && query.length <= longestDocument) documents.set(query, known)
    return { document, operationName, run: runOf(known, query, operationName) }
  }

  function validated(document: DocumentNode): KnownDocument {
    const errors = mistakesOf(schema, document)
    if (errors.length > 0) throw new AggregateError(errors)
    return { document, runs: new Map() }
  }

  function runOf({ document, runs }: KnownDocument, query: string, operationName: string | undefined): Run {
    // Introspection comes seldom and is long.
    const make = query.includes('__') ? interpret : compileWhenRunAgain
    const run = runs.get(operationName) ?? make(schema, document, operationName)
    runs.set(operationName, run)
    return run
  }

  /** What one class of tokens may send is too much for another. */
  function documentsFor(caller: Caller): LRUCache<string, KnownDocument> {
    const limits = limitsOf(caller)
    const documents = byClass.get(limits) ?? new LRUCache({ max: mostDocuments })
    byClass.set(limits, documents)
    return documents
  }
}
