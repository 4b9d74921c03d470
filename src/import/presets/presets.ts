import type { ImportRequest } from '../options.ts'
import type { RowSource } from '../read/row.ts'
import { UsageError } from '../usage-error.ts'
import { magento } from './magento.ts'
import type { Preset, PresetName } from './preset.ts'
import { shopify } from './shopify.ts'

const presets: Record<PresetName, Preset> = { shopify, magento }

/** The rows of a shop's export as rows of one product each; without a preset the rows themselves. */
export function reshaped(source: RowSource, name: PresetName | undefined): RowSource {
  return name === undefined ? source : presets[name].reshape(source)
}

/** The request with the preset's columns where it names none. Throws a UsageError if the file does not have the column of the product code. */
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
