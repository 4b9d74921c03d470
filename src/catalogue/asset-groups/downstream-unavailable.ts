import { isUnavailable } from '../../database/unavailable.ts'
import { unavailable } from '../../errors.ts'

/** The failure of a listing's source has a code of its own (spec: HTTP mapping for GET /assets). */
export async function orDownstreamUnavailable<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    throw isUnavailable(error) ? unavailable('downstream_unavailable', error) : error
  }
}
