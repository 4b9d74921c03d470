import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { stateOf } from '../catalogue/changes/revert-support.ts'
import { outcomeOf, startCli } from '../support/clients/cli.ts'
import { codeOf } from '../support/clients/http.ts'
import { callRest } from '../support/clients/rest-client.ts'
import { useDatabase } from '../support/database/database.ts'
import { storeIn } from '../support/factories.ts'
import { Random } from '../support/random.ts'
import { serve } from '../support/servers/serve.ts'
import { isLong, seed } from './support/scale.ts'

const kills = isLong ? 40 : 6
const products = 2_000

const database = useDatabase()

it(`${kills} times kill -9 during a revert, of the gateway or the command: it is done whole or not at all (seed ${seed})`, {
  timeout: 60_000 + kills * 20_000,
}, async () => {
  const random = new Random(seed)
  const store = await storeIn(database.catalogue)
  const body = Array.from({ length: products }, (_, i) => ({
    product_code: `sku-${i}`,
    Color: 'red',
    'Image URL 1': `https://e.x/${i}`,
  }))
  const write = (operation: string, requestId: string, items?: unknown) =>
    callRest(program, `${operation}store_uuid=${store}`, items, { headers: { 'X-Request-Id': requestId } })
  let program = await serve(database)
  const startRevert = (request: string, isCommand: boolean) => {
    if (!isCommand) {
      const answered = write(`POST /requests/${request}/revert?`, `revert-of-${request}`).catch(codeOf)
      return { child: program.child, answered }
    }
    const child = startCli(['revert', '--store', store, '--request', request], { DATABASE_URL: database.url })
    return { child, answered: outcomeOf(child) }
  }
  await write('POST /products?', 'created', body)
  const full = await stateOf({ database }, store)
  const empty = { ...full, products: null, assets: null, links: null, groups: null, exported: '' }

  let isFull = true
  /** How long a revert takes that is not killed: by the gateway, by the command. */
  const took: number[] = []
  for (let kill = -2; kill < kills; kill++) {
    const isCommand = kill % 2 !== 0
    const request = await lastRequest(store)
    const begun = performance.now()
    const { child, answered } = startRevert(request, isCommand)
    if (kill >= 0) {
      await sleep(random.below(1.5 * (took[Number(isCommand)] ?? 0)))
      child.kill('SIGKILL')
    }
    await answered
    took[Number(isCommand)] ??= performance.now() - begun
    if (kill >= 0 && !isCommand) {
      await program.end('SIGKILL')
      program = await serve(database)
    }
    // Waits for the end of what a killed process had begun.
    await database.db.transaction().execute((transaction) => {
      return sql`lock table product, asset_link, change in share mode`.execute(transaction)
    })
    if ((await lastRequest(store)) !== request) isFull = !isFull
    else expect(kill).toBeGreaterThanOrEqual(0)
    expect(await stateOf({ database }, store)).toEqual(isFull ? full : empty)
    expect(await checkReadModel(database.db)).toEqual([])
  }
  await program.end()
})

/** The request that changed the store last. */
async function lastRequest(store: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select request_id as id from change where store_uuid = ${store} order by seq desc limit 1`.execute(database.db)
  return rows[0]?.id ?? ''
}
