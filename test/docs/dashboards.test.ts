import { readFile, writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { loadDemo } from '../../src/demo/demo.ts'
import { setRequirements, settled } from '../catalogue/readiness/support.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'

const guide = new URL('../../docs/dashboards.md', import.meta.url)

const gateway = useGateway()

async function loadStores(): Promise<void> {
  const { db, catalogue } = gateway.database
  await loadDemo(catalogue, fallbackEnumerations, pino({ level: 'silent' }))
  const first = db.selectFrom('store').select('store_uuid').orderBy('store_uuid')
  await haveHistory((await first.executeTakeFirstOrThrow()).store_uuid)
}

/** Adds an import with a failed row, changes of a person, requirements, and numbers of three days. */
async function haveHistory(storeUuid: string): Promise<void> {
  const { db } = gateway.database
  const { secret } = await newToken(gateway, { name: 'anna', scopes: ['READ', 'WRITE'] })
  const ask = async (query: string) => {
    const { json } = await gateway.call('/graphql', { method: 'POST', body: { query }, token: secret })
    expect(json).not.toHaveProperty('errors')
    return (json as { data: Record<string, unknown> }).data
  }
  await ask(`mutation { startImport(storeUuid: "${storeUuid}", input: {
    format: CSV, content: "sku,status\\nFW-1001,new\\nFW-1002,nonsense\\n" }) { state } }`)
  const states = async () => (await ask('{ jobRows { state } }')).jobRows
  await expect.poll(states).toEqual([{ state: 'SUCCEEDED_WITH_FAILURES' }])
  await setRequirements(gateway, storeUuid, 'SMP', [
    { code: 'description', kind: 'ATTRIBUTE', attribute: 'Short Description', minimum: 50 },
    { code: 'three images', kind: 'ASSET', minimum: 3 },
    { code: 'active', kind: 'STATUS', severity: 'RECOMMENDED' },
  ])
  await settled(gateway, storeUuid, 'SMP')
  const counted = [
    ['ACTIVE', [88, 90, 92]],
    ['DRAFT', [18, 16, 14]],
  ] as const
  for (const [status, values] of counted) {
    for (const [day, value] of values.entries()) {
      await sql`insert into measure values (${storeUuid}, 'PRODUCTS_BY_STATUS', ${status.toLowerCase()}, 'day',
        ${`2025-03-0${3 + day}T00:00:00Z`}, ${value})`.execute(db)
    }
  }
  for (const [code, price] of [
    ['FW-1102', '19.00'],
    ['FW-1101', '24.90'],
  ]) {
    await ask(`mutation { updateProducts(storeUuid: "${storeUuid}", products: [
      { productCode: "${code}", attributes: { Price: "${price}" } }]) { updatedSkus } }`)
  }
}

it('the demo answers each query of the guide as the guide shows (WRITE_DOCS=1 records the answers)', async () => {
  await loadStores()
  const text = await readFile(guide, 'utf8')
  const parts = text.split(/(```graphql\n[^`]*```(?:\n```json\n[^`]*```)?)/)
  const answered = await Promise.all(parts.map((part) => (part.startsWith('```graphql') ? answer(part) : part)))
  expect(parts.filter((part) => part.startsWith('```graphql'))).toHaveLength(13)
  if (process.env.WRITE_DOCS) await writeFile(guide, answered.join(''))
  else expect(answered.join('')).toBe(text)
})

/** A query of the guide with its present answer. */
async function answer(part: string): Promise<string> {
  const query = /```graphql\n([^`]*)```/.exec(part)?.[1] ?? ''
  const data = await gateway.data(query)
  const fixed = JSON.parse(JSON.stringify(data), (key, value) =>
    isUuid.test(value) ? 'UUID' : (examples[key] ?? value),
  )
  return `\`\`\`graphql\n${query}\`\`\`\n\`\`\`json\n${compact(fixed, '')}\n\`\`\``
}

const isUuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Values that differ in each run. */
const examples: Record<string, string> = { updatedAt: '2026-11-23T09:00:00.000Z', next: 'CURSOR' }

/** JSON in lines of 150 characters: as many items of a list as fit, and each other value that fits, take one. */
function compact(value: unknown, indent: string): string {
  const line = JSON.stringify(value)
  const room = 150 - indent.length
  if (typeof value !== 'object' || value === null || line.length <= room) return line
  const isSingle = Object.keys(value).length === 1
  const inner = isSingle ? indent : `${indent}  `
  const members = Array.isArray(value)
    ? value.map((item) => compact(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${compact(item, inner)}`)
  const lines: string[] = []
  for (const member of members) {
    const last = Array.isArray(value) ? lines.pop() : undefined
    if (last && last.length + member.length < room) lines.push(`${last},${member}`)
    else lines.push(...(last ? [last] : []), member)
  }
  const text = isSingle ? members.join() : `\n${inner}${lines.join(`,\n${inner}`)}\n${indent}`
  return Array.isArray(value) ? `[${text}]` : `{${text}}`
}
