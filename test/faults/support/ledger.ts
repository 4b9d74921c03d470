import type { Caller } from '../../support/clients/caller.ts'
import { codeOf, type Reply } from '../../support/clients/http.ts'
import { restData } from '../../support/clients/rest-client.ts'
import { nothingRecorded, type Recorded, readFeed } from './recorded.ts'

/** A writer's knowledge of its writes: acknowledged, failed or unknown. Its products always get one value together. */
export interface Ledger {
  store: string
  codes: string[]
  /** The value of the latest write that was sent, and of the latest that was acknowledged. */
  sent: number
  acknowledged: number
  /** The values of all writes that were acknowledged, and the first one. */
  all: number[]
  /** Statuses and errors that were no acknowledgement, and how often. */
  refusals: Map<string, number>
  recorded: Recorded
}

export function newLedger(store: string, writer: number, products: number): Ledger {
  const codes = Array.from({ length: products }, (_, i) => `w${writer}-${i}`)
  return { store, codes, sent: 0, acknowledged: 0, all: [0], refusals: new Map(), recorded: nothingRecorded(codes) }
}

/** Makes the writer's products, with the value 0 and an asset each. */
export async function createProducts(gateway: Caller, { store, codes }: Ledger): Promise<void> {
  const body = codes.map((code) => ({ product_code: code, n: '0', 'Image URL 1': `https://cdn.example/${code}` }))
  await restData(gateway, `POST /products?store_uuid=${store}`, body)
}

/** Writes the next value to all of the writer's products in one request. */
export async function putOnce(gateway: Caller, ledger: Ledger): Promise<void> {
  ledger.sent++
  const query = `?store_uuid=${ledger.store}`
  const body = ledger.codes.map((code) => ({ product_code: code, n: String(ledger.sent) }))
  await note(ledger, gateway.call(`/v1/products${query}`, { method: 'PUT', body }), () => {
    ledger.acknowledged = ledger.sent
    ledger.all.push(ledger.sent)
  })
}

/** The same, and adds an asset to each group in another request. */
export async function writeOnce(gateway: Caller, ledger: Ledger): Promise<void> {
  await putOnce(gateway, ledger)
  const assets = ledger.codes.map((code) => ({
    parent_code: code,
    assets: { 'Image URL 1': `https://cdn.example/${code}/${ledger.sent}` },
  }))
  await note(ledger, gateway.call(`/v1/assets?store_uuid=${ledger.store}`, { method: 'POST', body: assets }), () => {})
}

async function note(ledger: Ledger, answer: Promise<Reply>, done: () => void): Promise<void> {
  const refused = (what: string) => ledger.refusals.set(what, (ledger.refusals.get(what) ?? 0) + 1)
  try {
    const { status, headers, text } = await answer
    if (status === 200) done()
    else refused(status === 503 && headers['retry-after'] ? '503 with Retry-After' : `${status} ${text}`)
  } catch (error) {
    refused(codeOf(error))
  }
}

/**
 * What is wrong with the store now: an acknowledged write that is lost, a write that is there only in part, or changes
 * that the feed has not, or not once, for what is there.
 */
export async function faultsOf(gateway: Caller, ledger: Ledger): Promise<string[]> {
  const { store, codes, sent, acknowledged, all, recorded } = ledger
  const query = `?store_uuid=${store}&sku_codes=${codes.join(',')}`
  const { products: stored } = await restData(gateway, `GET /products${query}`)
  const products = stored as Record<string, Stored>
  await readFeed(gateway, store, recorded)
  const values = new Set(codes.map((code) => products[code]?.n))
  const assets = new Set(codes.map((code) => products[code]?.assets.SMP.length))
  const [value] = values
  const histories = new Set(codes.map((code) => [...(recorded.valuesBefore.get(code) ?? []), value].join(', ')))
  const [history = ''] = histories
  const valuesOf = history.split(', ').map(Number)
  const lacking = all.filter((each) => !valuesOf.includes(each))
  const links = codes.flatMap((code) => products[code]?.assets.SMP.map(({ asset_id }) => `${code} ${asset_id}`))
  return [
    ...(values.size === 1 ? [] : [`a part of a write: ${[...values].join(', ')}`]),
    ...(assets.size === 1 ? [] : [`a part of a placement: ${[...assets].join(', ')}`]),
    ...(Number(value) >= acknowledged ? [] : [`${value} is there, but ${acknowledged} was acknowledged`]),
    ...(histories.size === 1 ? [] : [`a part of a change is recorded: ${[...histories].join('; ')}`]),
    ...(lacking.length === 0 ? [] : [`no change from ${lacking.join(', ')} is recorded`]),
    ...(valuesOf.every((each, i) => i === 0 || each > Number(valuesOf[i - 1]))
      ? []
      : [`changes that were not made are recorded: ${history}`]),
    ...(links.sort().join() === recorded.links.sort().join()
      ? []
      : [`${links.length} links are there, and ${recorded.links.length} others are recorded`]),
    ...(Number(value) <= sent ? [] : [`${value} is there, but was never sent`]),
  ]
}

interface Stored {
  n: string
  assets: { SMP: { asset_id: string }[] }
}
