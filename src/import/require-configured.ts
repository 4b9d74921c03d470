import type { Enumerations } from '../catalog/enumerations.ts'
import type { ImportRequest } from './request.ts'
import { UsageError } from './usage-error.ts'

/** Throws a UsageError when the request names a channel, or needs a format, that is not configured. */
export function requireConfigured(request: ImportRequest, { channels, assetFormats }: Enumerations): void {
  if (!channels.includes(request.channel)) {
    throw new UsageError(`--channel must be one of ${channels.join(', ')}; got ${JSON.stringify(request.channel)}`)
  }
  if (request.assetColumns.length > 0 && !assetFormats.includes('image')) {
    throw new UsageError(`--assets needs the asset format image; configured are ${assetFormats.join(', ')}`)
  }
}
