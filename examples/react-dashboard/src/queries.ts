import { gql } from 'urql'

export interface Stores {
  stores: { nodes: { storeUuid: string; storeName: string }[] }
}

export const storesQuery = gql<Stores, object>`
  query Stores {
    stores(first: 100) { nodes { storeUuid storeName } }
  }
`

export interface Dashboard {
  series: { time: number; label: string; value: number | null }[]
  coverageRows: { channel: string; assetFormat: string; groups: number; products: number }[]
  store: { facets: { values: { value: string; count: number }[] }[] } | null
}

/** All that the page shows of a store, in one request. */
export const dashboardQuery = gql<Dashboard, { store: string; from: number; to: number }>`
  query Dashboard($store: ID!, $from: Instant!, $to: Instant!) {
    series(metric: PRODUCTS, by: [STATUS], storeUuids: [$store], from: $from, to: $to, interval: "1d") {
      time label value
    }
    coverageRows(storeUuids: [$store]) { channel assetFormat groups products }
    store(storeUuid: $store) { facets(names: ["Brand"], first: 10) { values { value count } } }
  }
`
