import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The files of the product, from the root. */
export const files = filesOf(['schema', 'rest', 'src'], /\.ts$/)

/** The paths from the root of the files of folders, whose names match. */
export function filesOf(folders: readonly string[], named: RegExp): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => named.test(name) && !/(^|\/)(dist|node_modules)\//.test(name))
      .map((name) => join(folder, name)),
  )
}

/** What does work when it is loaded: the programs. */
export const programs = ['src/cli.ts']

export function sourceOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
