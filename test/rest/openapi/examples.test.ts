import { expect, it } from 'vitest'
import { type Step, scenario } from '../../outside/scenario.ts'
import { queryString } from '../../support/clients/rest-client.ts'
import { settled } from '../../support/database/changes.ts'
import { needsPrimary } from '../../support/needs-primary.ts'
import { token } from '../../support/servers/gateway.ts'
import { useGatewayBehindProxy } from '../../support/servers/gateway-behind-proxy.ts'
import { newToken } from '../../support/tokens.ts'

const gateway = useGatewayBehindProxy({ more: { rateLimit: 3 } })

it('the examples of the reference are what the service answers (vitest -u records them again)', async (test) => {
  needsPrimary(test, 'a replica answers while the database is unreachable')
  const known = new Map<string, string>()
  const examples: unknown[] = []
  const reader = await newToken(gateway, { scopes: ['READ'] })
  for (const step of scenario) {
    // A webhook begins at the end of the feed: its cursor would move on where changes come later.
    if (step.path === '/changes' || step.path === '/webhooks') await settled(gateway.database)
    if (step.path === '/imports/{import}') await importsEnd(known.get('import'))
    if (step.without === 'database') await gateway.cut()
    const filled = fill(step, known)
    const ask = () =>
      gateway.call(`/v1${filled.path}?${queryString(filled.query ?? {})}`, {
        method: step.method,
        headers: { 'x-request-id': `example-${step.name}`, ...step.headers },
        body: step.raw ?? filled.body,
        ...(step.token !== undefined && { token: step.token && reader.secret }),
      })
    for (let i = 1; i < (step.times ?? 1); i++) await ask()
    const target = `${gateway.url}/v1${step.path}?${queryString(filled.query ?? {})}`
    const { status, text, json } = step.path === '/events' ? await firstEvents(target) : await ask()
    const answer = json ?? text
    remember(answer, known)
    const shown = status === 413 ? undefined : (step.raw ?? filled.body)
    examples.push({ ...outline(filled), query: filled.query ?? {}, body: shown, status, answer })
    await gateway.restore()
  }
  const lines = withFixedIds(examples).map((example) => JSON.stringify(example))
  await expect(`[\n${lines.join(',\n')}\n]\n`).toMatchFileSnapshot('../../../rest/openapi/examples.json')
})

/** A stream up to its first change. */
async function firstEvents(url: string): Promise<{ status: number; text: string; json?: unknown }> {
  const { status, body } = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  let text = ''
  for await (const bytes of body ?? []) {
    text += Buffer.from(bytes).toString()
    if (/^data: .*cursor.*\n\n/m.test(text)) break
  }
  return { status, text }
}

function outline({ name, summary, method, path }: Step) {
  return { name, summary, method, path }
}

/** In an answer, in the text of a stream, and in the query that has the cursor of an answer. */
const ofCursor = /(?<="(?:cursor|next)\\?":\\?"|\\nid: |"after":"(?!MS0xLTAwMDAwMDAw)|oldest valid cursor is )[\w-]+/g

function fill(step: Step, known: ReadonlyMap<string, string>): Step {
  const text = JSON.stringify(step).replace(
    /\{(store|asset|import|webhook|cursor)\}/g,
    (_, name: string) => known.get(name) ?? '',
  )
  return JSON.parse(text) as Step
}

async function importsEnd(id = ''): Promise<void> {
  const stateOf = async () => JSON.stringify((await gateway.call(`/v1/imports/${id}`)).json)
  await expect.poll(stateOf).toContain('"finished_at":"')
}

/** Keeps the first store, asset, import and webhook that answers name. */
function remember(answer: unknown, known: Map<string, string>): void {
  const text = JSON.stringify(answer)
  for (const [name, pattern] of [
    ['store', /"store_uuid":"([^"]+)"/],
    ['asset', /"asset_id":"([^"]+)"/],
    ['import', /"job_id":"([^"]+)"/],
    ['cursor', /"next":"([^"]+)"/],
    ['webhook', /"webhook_id":"([^"]+)"/],
  ] as const) {
    const found = pattern.exec(text)?.[1]
    if (found !== undefined && !known.has(name)) known.set(name, found)
  }
}

/**
 * Replaces what differs from run to run: UUIDs by the first, second, … fixed one, cursors and times of changes, and
 * times to wait by a minute.
 */
function withFixedIds(examples: readonly unknown[]): unknown[] {
  const ids = new Map<string, string>()
  const text = JSON.stringify(examples).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (uuid) => {
    if (uuid.startsWith('00000000')) return uuid
    if (!ids.has(uuid)) ids.set(uuid, `019aa000-0000-7000-8000-${String(ids.size + 1).padStart(12, '0')}`)
    return ids.get(uuid) ?? ''
  })
  const cursors = new Map<string, string>()
  const withCursors = text.replace(ofCursor, (cursor) => {
    if (!cursors.has(cursor)) cursors.set(cursor, Buffer.from(`${cursors.size + 1}-1-00000001`).toString('base64url'))
    return cursors.get(cursor) ?? ''
  })
  return JSON.parse(
    withCursors
      .replace(/(?<="(?:\w+_)?at\\?":\\?")[^"\\]+/g, '2026-11-21T10:00:00.000Z')
      .replace(/(?<=try again in )\d+/g, '60')
      .replace(/whsec_[\w+/=]+/g, 'whsec_ZXhhbXBsZSBzZWNyZXQgb2YgYSB3ZWJob29rIQ=='),
  )
}
