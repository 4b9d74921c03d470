import { readFile, writeFile } from 'node:fs/promises'
import { pino } from 'pino'
import { beforeAll, expect, it } from 'vitest'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { loadDemo } from '../../src/demo/demo.ts'
import { useGateway } from '../support/servers/gateway.ts'

const guide = new URL('../../docs/dashboards.md', import.meta.url)

const gateway = useGateway()
beforeAll(async () => {
  await loadDemo(gateway.database.catalogue, fallbackEnumerations, pino({ level: 'silent' }))
})

it('the demo answers each query of the guide, and as the guide says where it does (WRITE_DOCS=1 writes the answers anew)', async () => {
  const text = await readFile(guide, 'utf8')
  const parts = text.split(/(```graphql\n[^`]*```(?:\n```json\n[^`]*```)?)/)
  const answered = await Promise.all(parts.map((part) => (part.startsWith('```graphql') ? answer(part) : part)))
  expect(parts.length).toBeGreaterThan(24)
  if (process.env.WRITE_DOCS) await writeFile(guide, answered.join(''))
  else expect(answered.join('')).toBe(text)
})

/** A query of the guide with the answer that it has now. */
async function answer(part: string): Promise<string> {
  const query = /```graphql\n([^`]*)```/.exec(part)?.[1] ?? ''
  const data = await gateway.data(query)
  if (!part.includes('```json')) return part
  return `\`\`\`graphql\n${query}\`\`\`\n\`\`\`json\n${compact(data, '')}\n\`\`\``
}

/** JSON with what fits into a line in a line. */
function compact(value: unknown, indent: string): string {
  const line = JSON.stringify(value)
    .replaceAll('":', '": ')
    .replaceAll(/,(?=["{[\d])/g, ', ')
  if (typeof value !== 'object' || value === null || line.length + indent.length <= 140) return line
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const members = isList
    ? value.map((item) => inner + compact(item, inner))
    : Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${compact(item, inner)}`)
  return `${isList ? '[' : '{'}\n${members.join(',\n')}\n${indent}${isList ? ']' : '}'}`
}
