import type { Caller } from '../../support/clients/caller.ts'

/** What the feed of a store has said so far of some products and their links. It is read on from the cursor. */
export interface Recorded {
  cursor: string | null
  /** By code: the values that its changes had before, in the order of the feed. */
  valuesBefore: Map<string, number[]>
  /** `code asset-id` of each link that was created. */
  links: string[]
}

export const nothingRecorded = (codes: readonly string[]): Recorded => ({
  cursor: null,
  valuesBefore: new Map(codes.map((code) => [code, []])),
  links: [],
})

const query = `query ($store: ID!, $after: String) {
  store(storeUuid: $store) {
    changes(first: 10, after: $after) {
      next pageInfo { hasNextPage }
      edges { node { kind action items(first: 100) { edges { node { productCode assetId before } } } } }
    }
  }
}`

interface Item {
  productCode: string
  assetId: string | null
  before: string | null
}

interface Feed {
  next: string
  pageInfo: { hasNextPage: boolean }
  edges: { node: { kind: string; action: string; items: { edges: { node: Item }[] } } }[]
}

/** Reads the feed on to its end. Changes of other codes are left out. */
export async function readFeed(gateway: Caller, store: string, recorded: Recorded): Promise<void> {
  for (let hasMore = true; hasMore; ) {
    const data = (await gateway.data(query, { store, after: recorded.cursor })) as unknown
    const { changes } = (data as { store: { changes: Feed } }).store
    for (const { node } of changes.edges)
      for (const { node: item } of node.items.edges) note(recorded, `${node.kind} ${node.action}`, item)
    recorded.cursor = changes.next
    hasMore = changes.pageInfo.hasNextPage
  }
}

function note({ valuesBefore, links }: Recorded, what: string, { productCode, assetId, before }: Item): void {
  const values = valuesBefore.get(productCode)
  if (!values) return
  if (what === 'PRODUCT UPDATED') values.push(Number(before))
  if (what === 'LINK CREATED') links.push(`${productCode} ${assetId}`)
}
