import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

const documents = [
  ...['README.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
  ...readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).map((name) => `test/${name}`),
].filter((name) => name.endsWith('.md'))

describe.each(documents)('%s', (document) => {
  const text = readFileSync(join(root, document), 'utf8')
  const prose = text.replaceAll(/^```[^`]*^```$/gm, '')

  it('links to files and headings that exist', () => {
    const links = [...prose.matchAll(/\]\((?!https?:|mailto:)([^)]+)\)/g)].map(([, target = '']) => target)
    expect(links.filter((target) => !linkExists(document, target))).toEqual([])
  })

  it('names paths that exist, or that it says to create', () => {
    const paths = [
      ...prose.matchAll(/(?<!Create )`((?:bench|deploy|docs|examples|rest|schema|src|test|tools)\/[\w./{},-]*)`/g),
    ].map(([, path = '']) => path)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('has tables that are rendered whole: a delimiter row, and the same number of cells in each row', () => {
    const tables = [...prose.matchAll(/(?:^\|.*\n?)+.*/gm)].map(([table]) => table.trim().split('\n'))
    const isWhole = ([head = '', delimiter = '', ...rows]: string[]) =>
      /^\|(?:\s*:?-+:?\s*\|)+$/.test(delimiter) &&
      rows.length > 0 &&
      [delimiter, ...rows].every((row) => cellsOf(row) === cellsOf(head))
    expect(tables.filter((table) => !isWhole(table))).toEqual([])
  })

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
    const names = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name)
    expect(names.filter((name) => !(name in scripts))).toEqual([])
  })
})

const cellsOf = (row: string) => row.replaceAll('\\|', '').split('|').length

function linkExists(document: string, target: string): boolean {
  const [path = '', heading] = target.split('#')
  const file = path === '' ? document : relative(root, join(root, dirname(document), path))
  if (!existsSync(join(root, file))) return false
  return heading === undefined || headingsOf(file).includes(heading)
}

/** The anchors of a document's headings, made as code hosts make them. */
function headingsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8').replaceAll(/^```[^`]*^```$/gm, '')
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}
