import { isUnavailable } from '../database/unavailable.ts'
import { unavailable } from '../errors.ts'

/** The listing has a source of its own, so its failure has a code of its own: `downstream_unavailable` (spec: HTTP mapping for GET /assets). */
export async function fromSource<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    throw isUnavailable(error) ? unavailable('downstream_unavailable', error) : error
  }
}
