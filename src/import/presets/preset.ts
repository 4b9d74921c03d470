import type { RowSource } from '../read/row.ts'

/** The shops whose exports can be read. */
export const presetNames = ['shopify', 'magento'] as const
export type PresetName = (typeof presetNames)[number]

/** How a shop's export is read. */
export interface Preset {
  /** The column of the product code. */
  code: string
  /** The column of the status, if the file has it. */
  status: string
  /** Columns of image URLs, those of them that the file has. */
  assetColumns: readonly string[]
  /** Turns the export's rows into rows of one product each. */
  reshape(source: RowSource): RowSource
}
