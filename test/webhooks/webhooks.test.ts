import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { pauseAfter, retryTimes } from '../../src/webhooks/deliver/retries.ts'
import { ask, attempt } from '../support/clients/operations.ts'
import { newStore } from '../support/factories.ts'
import { startTestGateway, useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
const url = 'https://hooks.example/catalogue'

describe('a webhook', () => {
  it.each([
    [{ url: 'http://hooks.example' }, 'url'],
    [{ url: 'https://10.0.0.1/hook' }, 'url'],
    [{ url: 'https://localhost/hook' }, 'url'],
    [{ url: 'https://api.LOCALHOST.:8443/hook' }, 'url'],
    [{ url: 'https://[::1]/hook' }, 'url'],
    [{ url: 'https://2130706433' }, 'url'],
    [{ url: 'https://hooks.example:22' }, 'url'],
    [{ url: 'https://user:secret@hooks.example' }, 'url'],
    [{ url: 'no URL' }, 'url'],
    [{ url: ` ${url}` }, 'url'],
    [{ url, headers: [{ name: 'Host', value: 'x' }] }, 'headers[0].name'],
    [{ url, headers: [{ name: 'X', value: 'a\r\nb' }] }, 'headers[0].value'],
    [{ url, headers: Array.from({ length: 6 }, (_, i) => ({ name: `X-${i}`, value: 'x' })) }, 'headers'],
    [{ url, filter: { types: ['no.type'] } }, 'filter.types'],
  ])('is refused with a fault at its field: %j', async (input, field) => {
    const store = await newStore(gateway)
    const outcome = await gateway.call(`/v1/webhooks?store_uuid=${store}`, { method: 'POST', body: input })
    expect(outcome.text).toContain(`"field":"${field}"`)
    expect(outcome).toMatchObject({ status: 400 })
    expect(outcome.text).not.toContain('secret@')
  })

  it.each([
    [{ filter: { codePrefix: 'EU-' } }, 'filter.codePrefix', 'types, operations, attributes, channels, code_prefix'],
    [{ filters: {} }, 'filters', 'url, headers, filter'],
    [{ headers: [{ name: 'X', valeu: 'hidden', value: 'x' }] }, 'headers[0].valeu', 'name, value'],
    [{ ['x'.repeat(300)]: 1 }, 'body', 'a name of 300 characters is unknown'],
  ])('has no unknown member: %j', async (input, field, text) => {
    const store = await newStore(gateway)
    const { text: made } = await gateway.call(`/v1/webhooks?store_uuid=${store}`, { method: 'POST', body: { url } })
    const { webhook } = JSON.parse(made).data
    const given = [
      { method: 'POST', path: `/v1/webhooks?store_uuid=${store}`, body: { url, ...input } },
      { method: 'PATCH', path: `/v1/webhooks/${webhook.webhook_id}`, body: input },
    ]
    for (const { path, ...request } of given) {
      const outcome = await gateway.call(path, request)
      expect(outcome).toMatchObject({ status: 400 })
      expect(outcome.text).toContain(`"field":"${field}"`)
      expect(outcome.text).toContain(text)
      expect(outcome.text).not.toContain('hidden')
    }
  })

  it('is one of at most 20 of a store', async () => {
    const storeUuid = await newStore(gateway)
    const create = () => attempt(gateway, 'createWebhook', { storeUuid, input: { url } }, '{ secret }')
    for (let i = 0; i < 20; i++) expect(await create()).not.toHaveProperty('reason')
    expect(await create()).toMatchObject({ reason: 'quota_exceeded' })
  })

  it('never shows its secret and the values of its headers again', async () => {
    const storeUuid = await newStore(gateway)
    const input = { url, headers: [{ name: 'Authorization', value: 'Bearer hidden' }] }
    await ask(gateway, 'createWebhook', { storeUuid, input }, '{ secret }')
    const shown = JSON.stringify(await ask(gateway, 'store', { storeUuid }, '{ webhooks { url headerNames cursor } }'))
    expect(shown).toContain('authorization')
    expect(shown).not.toMatch(/hidden|whsec_/)
  })

  it('needs the ledger', async () => {
    await using other = await startTestGateway({ more: { changesRetention: 0 } })
    const storeUuid = await newStore(other)
    const outcome = await other.call(`/v1/webhooks?store_uuid=${storeUuid}`, { method: 'POST', body: { url } })
    expect(outcome).toMatchObject({ status: 409 })
    expect(outcome.text).toContain('changes_disabled')
  })

  it('is tried again after 5 s, doubling to a minute in the first hour, and then to an hour', () => {
    const pauses: number[] = []
    let [pauseMs, failingSeconds] = [0, 0]
    while (failingSeconds < 24 * 3_600) {
      pauseMs = pauseAfter({ pauseMs, failingSeconds }, undefined, retryTimes)
      failingSeconds += pauseMs / 1_000
      pauses.push(pauseMs / 1_000)
    }
    expect(pauses.slice(0, 6)).toEqual([5, 10, 20, 40, 60, 60])
    expect(pauses.filter((pause) => pause > 60).slice(0, 7)).toEqual([120, 240, 480, 960, 1_920, 3_600, 3_600])
    const asked = (retryAfter: string) => pauseAfter({ pauseMs: 0, failingSeconds: 0 }, retryAfter, retryTimes) / 1_000
    expect(['1', '90', '999999', 'soon'].map(asked)).toEqual([5, 90, 3_600, 5])
  })

  it('has its old attempts dropped by the day', async () => {
    const { db } = gateway.database
    const days = async () =>
      (await sql`select from pg_inherits where inhparent = 'webhook_delivery'::regclass`.execute(db)).rows.length
    const before = await days()
    await sql`create table webhook_delivery_20200101 partition of webhook_delivery
      for values from ('2020-01-01 00:00Z') to ('2020-01-02 00:00Z')`.execute(db)
    await sql`select drop_delivery_days()`.execute(db)
    expect(await days()).toBe(before)
  })
})
