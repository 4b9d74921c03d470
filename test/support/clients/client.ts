import { expect } from 'vitest'

/** An entry of error_info, in the words of REST. */
export interface Entry {
  reason: string
  details: string
  field?: string
  index?: number
}

/** What an operation answered, in the words of REST through whichever API it came: its data, or why it was refused. */
export interface Outcome {
  data?: unknown
  reason?: string
  entries?: Entry[]
}

export type Item = Record<string, unknown>

/** The spec's five operations in the words of REST. A client fails the test when an answer is malformed. */
export interface Client {
  createStore(body: unknown, query?: Item): Promise<Outcome>
  /** `data.groups` replaces `data.assets`: a list in the order of the answer, each with its `parent_code`. */
  listAssets(query: Item): Promise<Outcome>
  /** `data.failed_products` is a list of `[code, [[attribute, reason], …]]`, so that it can have any code. */
  updateProducts(storeUuid: string, body: unknown): Promise<Outcome>
  /** `data.error_info` has an entry for each failure, and so may be empty. */
  deleteAssets(body: unknown): Promise<Outcome>
  /** `data.error_info` as above. */
  unlinkAssets(body: unknown): Promise<Outcome>
}

/** The outcome of a refused request: its entries, which must all have the one reason and say something. */
export function refused(entries: Entry[]): Outcome & { reason: string } {
  const [reason = ''] = entries.map((entry) => entry.reason)
  for (const entry of entries) expect(entry).toMatchObject({ reason, details: expect.stringMatching(/\S/) })
  expect(reason).not.toBe('')
  return { reason, entries }
}

/** The outcome with its data turned, unless it was refused. */
export function withData<Data>(outcome: Outcome, translate: (data: Data) => unknown): Outcome {
  return outcome.reason === undefined ? { data: translate(outcome.data as Data) } : outcome
}

/** The failures that a delete or an unlink reported. */
export function failuresOf({ data }: Outcome): Item[] {
  return (data as { error_info: Item[] }).error_info
}

/** The entries of one group of the channel SMP in the listing; none when it is not listed. */
export async function entriesOf(client: Client, store: string, code: string, narrow: Item = {}): Promise<Item[]> {
  const { data } = await client.listAssets({ store_uuid: store, ...narrow })
  const { groups } = data as { groups: { parent_code: string; assets: Item[] }[] }
  return groups.find(({ parent_code }) => parent_code === code)?.assets ?? []
}

export async function assetIdsOf(client: Client, store: string, code: string, narrow: Item = {}): Promise<unknown[]> {
  return (await entriesOf(client, store, code, narrow)).map(({ asset_id }) => asset_id)
}

/** The ids of every group of the store, by `parent code, channel, format`. */
export async function assetIdsByGroup(client: Client, store: string): Promise<Record<string, string[]>> {
  const groups: Record<string, string[]> = {}
  for (const channel of ['SMP', 'channel_value_1']) {
    for (const asset_format of ['image', 'video', 'pdf']) {
      const { data } = await client.listAssets({ store_uuid: store, channel, asset_format })
      const page = data as { total_groups: number; groups: { parent_code: string; assets: { asset_id: string }[] }[] }
      expect(page.total_groups).toBe(page.groups.length)
      for (const { parent_code, assets } of page.groups) {
        groups[`${parent_code} ${channel} ${asset_format}`] = assets.map(({ asset_id }) => asset_id)
      }
    }
  }
  return groups
}
