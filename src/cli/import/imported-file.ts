import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { StoreImport } from '../../import/options.ts'
import type { ImportedFile } from '../../jobs/command-line-import.ts'

/**
 * What identifies the import: a resumed one has the same file, and the same options that decide what is imported.
 * Without its bytes it cannot be resumed.
 */
export async function importedFile(
  request: StoreImport,
  bytes: AsyncIterable<Buffer> | undefined,
): Promise<ImportedFile> {
  const {
    file,
    storeUuid,
    errors,
    style: _style,
    resume: _resume,
    dryRun: _dryRun,
    chunkRows: _rows,
    ...meaning
  } = request
  const reportFile = errors === undefined ? null : resolve(errors)
  const content = bytes && (await hashOf(bytes))
  const options = JSON.stringify(inOrder(meaning))
  return { storeUuid, file: resolve(file), content, options, reportFile }
}

/** The options in an order that does not depend on that in which they were given. Assets are linked in theirs. */
function inOrder({ columnMappings, statusMappings, ...options }: Partial<StoreImport>): object {
  const meaning = { ...options, columnMappings: columnMappings?.toSorted(), statusMappings: statusMappings?.toSorted() }
  return Object.fromEntries(Object.entries(meaning).toSorted())
}

async function hashOf(bytes: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk)
  return hash.digest('hex')
}
