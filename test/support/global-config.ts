import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface ConfigFile {
  /** A `file:` URL. */
  url: string
  /** Puts a text, or a value as JSON, in the place of what the file has. */
  write(content: unknown): Promise<void>
  remove(): Promise<void>
}

/** A file for a global configuration, in a directory of its own. */
export async function configFile(content: unknown): Promise<ConfigFile> {
  const directory = await mkdtemp(join(tmpdir(), 'catalogue-config-'))
  const path = join(directory, 'global config.json')
  const write = (value: unknown) => writeFile(path, typeof value === 'string' ? value : JSON.stringify(value))
  await write(content)
  return { url: pathToFileURL(path).href, write, remove: () => rm(directory, { recursive: true, force: true }) }
}
