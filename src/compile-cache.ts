import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Keeps compiled code beside the packages, where only who may change them can write: the next start takes half the time. What is imported
 * before this call is not kept. Where that folder cannot be written, all is as without.
 */
export function keepCompiledCode(): void {
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))
}
