import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The files of the product, from the root. */
export const files = ['schema', 'rest', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('/dist/'))
    .map((name) => join(folder, name)),
)

/** What does work when it is loaded: the programs. */
export const programs = ['src/cli.ts']

export function sourceOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
