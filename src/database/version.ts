import { readFileSync } from 'node:fs'
import { lazy } from '../lazy.ts'

/** The version of this service, as its package has it. */
export const ownVersion: () => string = lazy(
  () => JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
)
