import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { PersistedDocuments } from '../graphql/persisted-documents.ts'
import type { Config } from './config.ts'

const shape = z.record(z.string().min(1), z.string().min(1))

/** Reads the documents that callers may name: a JSON object of name to document, as code generators write it. Throws what is wrong with the file. */
export async function readPersistedDocuments({
  persistedDocumentsFile: file,
  persistedDocumentsOnly: only,
}: Pick<Config, 'persistedDocumentsFile' | 'persistedDocumentsOnly'>): Promise<PersistedDocuments | undefined> {
  if (file === undefined) {
    if (only) throw new Error('PERSISTED_DOCUMENTS_ONLY needs PERSISTED_DOCUMENTS')
    return undefined
  }
  const parsed = shape.safeParse(JSON.parse(await readFile(file, 'utf8')))
  if (!parsed.success) throw new Error('PERSISTED_DOCUMENTS must name a JSON object of name to document')
  return { documents: new Map(Object.entries(parsed.data)), only }
}
