import { magento } from './preset-magento.ts'
import type { PresetName } from './preset-names.ts'
import { shopify } from './preset-shopify.ts'
import type { ImportRequest } from './request.ts'
import type { RowSource } from './row.ts'
import { UsageError } from './usage-error.ts'

/** How a shop's export is read. */
export interface Preset {
  /** The column of the product code. */
  code: string
  /** The column of the status, where the file has it. */
  status: string
  /** Columns of image URLs, those of them that the file has. */
  assetColumns: readonly string[]
  /** Turns the export's rows into rows of one product each. */
  reshape(source: RowSource): RowSource
}

const presets: Record<PresetName, Preset> = { shopify, magento }

export function reshaped(source: RowSource, name: PresetName | undefined): RowSource {
  return name === undefined ? source : presets[name].reshape(source)
}

/** The request with what its preset knows about such files; what the caller said himself stands. Throws a UsageError for a file of another kind. */
export function withPreset(request: ImportRequest, columns: readonly string[]): ImportRequest {
  if (request.preset === undefined) return request
  const { code, status, assetColumns } = presets[request.preset]
  if (request.code === undefined && !columns.includes(code)) {
    throw new UsageError(`--preset ${request.preset} needs the column "${code}", which the file does not have`)
  }
  return {
    ...request,
    code: request.code ?? code,
    status: request.status ?? (columns.includes(status) ? status : undefined),
    assetColumns:
      request.assetColumns.length > 0
        ? request.assetColumns
        : assetColumns.filter((column) => columns.includes(column)),
  }
}
