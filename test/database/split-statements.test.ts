import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadModule, parseSync } from 'libpg-query'
import { expect, it } from 'vitest'
import { splitStatements } from '../../src/database/citus/split-statements.ts'
import { root } from '../support/sources.ts'

it.each(globSync('src/**/*.sql', { cwd: root }))('splits %s into its statements', async (path) => {
  await loadModule()
  const text = readFileSync(join(root, path), 'utf8')
  const split = splitStatements(text).map((statement) => parseSync(statement).stmts?.length)
  expect(split).toEqual(parseSync(text).stmts?.map(() => 1))
})
