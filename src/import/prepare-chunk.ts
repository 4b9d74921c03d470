import { LoadedAssets } from '../catalog/load-assets.ts'
import { LoadedProducts } from '../catalog/load-products.ts'
import { statusFault } from '../catalog/product-patches.ts'
import { shown } from '../catalog/text.ts'
import type { FailedRow, MappedProduct, MappedRow } from './map-row.ts'
import type { Fault } from './row.ts'
import type { Rules } from './rules.ts'

/** What a part of a file brings: its products and their assets; and what it does not. */
export interface PreparedChunk {
  /** What its rows were judged by. */
  rules: Rules
  products: LoadedProducts
  assets: LoadedAssets
  failed: FailedRow[]
  /** How many rows of the file have no fault. */
  good: number
}

/**
 * What the rows of a chunk are judged by, and for where. `columnOf` names the column that an attribute came from; `bringsLinks` says that the chunk will
 * probably have assets that their groups do not have.
 */
export interface ChunkContext {
  target: { storeUuid: string; channel: string }
  rules: Rules
  columnOf(attribute: string): string
  bringsLinks: boolean
}

/**
 * Prepares a chunk row by row, so that of a row nothing is kept but what is written. Each is judged by itself: one that fails leaves
 * the others of its product alone.
 */
export class ChunkBuilder {
  /** How many rows it has, of what size altogether, with how many assets, and the product code of the last. */
  rows = 0
  size = 0
  assets = 0
  /** The size of those that have failed: they are kept as they are. */
  failedSize = 0
  last: string | undefined
  private readonly chunk: PreparedChunk
  private readonly columnOf: (attribute: string) => string

  constructor({ target, rules, columnOf, bringsLinks }: ChunkContext) {
    const { storeUuid, channel } = target
    const products = new LoadedProducts(storeUuid)
    this.chunk = { rules, products, assets: new LoadedAssets({ storeUuid, channel }, bringsLinks), failed: [], good: 0 }
    this.columnOf = columnOf
  }

  add(row: MappedRow): void {
    this.rows++
    this.size += row.size
    this.assets += row.assets.length
    this.last = row.code
    const { code, product } = row
    const own = product ? this.faultsOf(product) : []
    const isWhole = own.length + row.faults.length === 0
    if (isWhole) this.chunk.good += row.rows.length
    else this.fail(row, [...row.faults, ...own])
    // With a fault in its assets only, the product goes in.
    if (code === undefined || !product || own.length > 0) return
    this.chunk.products.add(code, product, isWhole)
    if (isWhole) this.chunk.assets.add(code, row.assets)
  }

  /** The chunk, once all of its rows are there. */
  finish(): PreparedChunk {
    return this.chunk
  }

  private fail(row: MappedRow, faults: Fault[]): void {
    this.failedSize += row.size
    const rows = row.rows.map(({ number, line, source }) => ({ number, line, source }))
    const placed = row.rows.length > 1 ? faults.map((fault) => ({ ...fault, row: rowOf(fault, row.rows) })) : faults
    this.chunk.failed.push({ row: { ...row, rows, product: undefined, assets: [] }, faults: placed })
  }

  private faultsOf({ status, names, values }: MappedProduct): Fault[] {
    const faults: Fault[] = []
    const reason = status === null ? undefined : statusFault(status)
    if (reason !== undefined) faults.push({ field: this.columnOf('status'), reason })
    for (let i = 0; i < names.length; i++) {
      const name = names[i] ?? ''
      const fault = this.chunk.rules.judge(name, values[i])
      if (fault !== undefined) faults.push({ field: this.columnOf(name), reason: fault })
    }
    return faults
  }
}

/** Says that a chunk is written, and needed no more. */
export function releaseChunk({ products, assets }: PreparedChunk): void {
  products.lines.release()
  assets.prepared?.release()
}

/** The number of the row, of those that were joined, that has the value that is at fault; otherwise the first with any in its column. */
function rowOf({ row, field, reason }: Fault, rows: MappedRow['rows']): number | undefined {
  if (row !== undefined || field === undefined) return row
  const cellOf = (part: MappedRow['rows'][number]) => part.columns && part.cells?.[part.columns.indexOf(field)]
  const filled = rows.filter((part) => (cellOf(part) ?? '') !== '')
  return (filled.find((part) => reason.includes(`; got ${shown(cellOf(part))}`)) ?? filled[0])?.number
}
