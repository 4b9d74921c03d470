import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import type { ImportRequest } from '../../import/options.ts'
import type { ImportedFile } from '../../jobs/command-line-import.ts'

/** What identifies the import: a resumed one has the same file, and the same options that decide what is imported. */
export async function importedFile(request: ImportRequest, canResume: boolean): Promise<ImportedFile> {
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
  const content = canResume ? await hashOf(file) : undefined
  const options = JSON.stringify(inOrder(meaning))
  return { storeUuid, file: resolve(file), content, options, reportFile }
}

/** The options in an order that does not depend on that in which they were given. Assets are linked in theirs. */
function inOrder({ attributes, statuses, ...options }: Partial<ImportRequest>): object {
  const meaning = { ...options, attributes: attributes?.toSorted(), statuses: statuses?.toSorted() }
  return Object.fromEntries(Object.entries(meaning).toSorted())
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
