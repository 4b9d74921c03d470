import type { Transaction } from 'kysely'
import { requireDefinitions } from '../catalog/attribute-definitions.ts'
import { type AttributeJudge, attributeJudge } from '../catalog/attribute-rules.ts'
import { loadAssets } from '../catalog/load-assets.ts'
import { loadProducts } from '../catalog/load-products.ts'
import type { Session } from '../database/copy.ts'
import type { Database } from '../database/tables.ts'
import type { Counts } from './counts.ts'
import type { MappedRow } from './map-row.ts'
import { type PreparedChunk, prepareChunk } from './prepare-chunk.ts'

export interface Target {
  storeUuid: string
  channel: string
  /** The column that an attribute came from. */
  columnOf(attribute: string): string
}

/** The rules of a store, as they were when its definitions were read. */
export interface Rules {
  definitions: string
  judge: AttributeJudge
}

/** A chunk that has been judged by rules that may have changed since. */
export interface JudgedChunk {
  rows: readonly MappedRow[]
  rules: Rules
  prepared: PreparedChunk
}

export interface WrittenChunk {
  counts: Counts
  failed: PreparedChunk['failed']
}

/** The rules of the store; throws `store_not_found`. One statement. */
export async function readRules(db: Session['db'], storeUuid: string, before?: Rules): Promise<Rules> {
  const { definitions } = await requireDefinitions(db, storeUuid)
  const text = JSON.stringify(definitions)
  return text === before?.definitions ? before : { definitions: text, judge: attributeJudge(definitions) }
}

export function judgeChunk(rows: readonly MappedRow[], rules: Rules, { columnOf }: Target): JudgedChunk {
  return { rows, rules, prepared: prepareChunk(rows, rules.judge, columnOf) }
}

/**
 * Writes a chunk as a part of a transaction, in a fixed number of statements. What happened to a product is counted at the first of its
 * rows that has no fault, the others count as unchanged. Throws `store_not_found`.
 */
export async function writeChunk(
  session: Session,
  transaction: Transaction<Database>,
  target: Target,
  chunk: JudgedChunk,
): Promise<WrittenChunk> {
  const { storeUuid, channel } = target
  const rules = await readRules(transaction, storeUuid, chunk.rules)
  const { prepared } = rules === chunk.rules ? chunk : judgeChunk(chunk.rows, rules, target)
  const { products, assets, failed, good } = prepared
  // Groups before products, as every writer of both locks them: no two can wait for each other.
  const { added, linked } = await loadAssets(session, transaction, { storeUuid, channel }, assets)
  const { created, updated } = await loadProducts(session, transaction, storeUuid, products)
  const bad = failed.reduce((sum, { row }) => sum + row.rows.length, 0)
  const counts = {
    rows: good + bad,
    created,
    updated,
    unchanged: good - created - updated,
    failed: bad,
    assetsAdded: added,
    linksAdded: linked,
  }
  return { counts, failed }
}
