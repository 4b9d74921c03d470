import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { root } from '../sources.ts'

/** Only the next release's text of `write_products` has it. */
export const mark = '-- of the next release'

/** Makes the next release in a folder: the files of this one, with a further migration. Returns its program. */
export async function makeNextRelease(folder: string, migration: string): Promise<string> {
  for (const name of ['bin', 'src', 'rest', 'schema', 'docs', 'package.json']) {
    await cp(join(root, name), join(folder, name), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'src/database/migrations/9999-next.sql'), migration)
  await edit(join(folder, 'package.json'), '"version": "0.1.0"', '"version": "0.2.0"')
  await edit(join(folder, 'src/catalogue/products/write-products.sql'), '\nbegin\n', `\nbegin\n  ${mark}\n`)
  return join(folder, 'bin/catalog')
}

async function edit(file: string, before: string, after: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  expect(text).toContain(before)
  await writeFile(file, text.replace(before, after))
}
