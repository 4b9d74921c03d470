import { sql } from 'kysely'
import { expect } from 'vitest'
import type { ChangeItem } from '../../support/database/changes.ts'
import type { TestDatabase } from '../../support/database/database.ts'

type Kind = 'product' | 'asset' | 'link' | 'definition' | 'store'

/** What is stored, by store, kind and name; the name of a link is `[parent code, channel, asset id]`. */
export type State = Map<string, Record<Kind, Map<string, Record<string, unknown>>>>

interface Row {
  store: string
  kind: Kind
  name: string
  value: Record<string, unknown>
}

const newStore = () => ({
  product: new Map(),
  asset: new Map(),
  link: new Map(),
  definition: new Map(),
  store: new Map(),
})

/** Reads the tables themselves. `updated_at` is left out: the ledger does not have it of a product that is there. */
export async function readState({ db }: TestDatabase): Promise<State> {
  const { rows } = await sql<Row>`
    select store_uuid as store, 'product' as kind, product_code as name,
      json_build_object('status', status, 'attributes', attributes, 'createdAt', created_at) as value from product
    union all select store_uuid, 'asset', asset_id,
      json_build_object('assetFormat', asset_format, 'url', url, 'createdAt', created_at) from asset
    union all select store_uuid, 'link', json_build_array(parent_code, channel, asset_id)::text,
      json_build_object('place', place) from asset_link
    union all select store_uuid, 'definition', name, (case when filterable then '{"filterable": true}' else '{}' end::jsonb
      || case when searchable then '{"searchable": true}' else '{}' end::jsonb || jsonb_build_object(
      'type', type, 'allowedValues', allowed_values, 'maxLength', max_length, 'pattern', pattern))::json from attribute_definition
    union all select store_uuid, 'store', '', json_build_object(
      'storeName', store_name, 'storeTaxonomy', store_taxonomy, 'region', region, 'channels', channels,
      'defaultAutomation', default_automation, 'storeWebsite', store_website) from store`.execute(db)
  const state: State = new Map()
  for (const { store, kind, name, value } of rows) {
    const known = state.get(store) ?? newStore()
    state.set(store, known)
    known[kind].set(kind === 'link' ? JSON.stringify(JSON.parse(name)) : name, value)
  }
  return state
}

/** Takes items of a store back, the last one first; each must have changed something. */
export function undo(state: State, store: string, items: readonly ChangeItem[]): void {
  for (const item of items.toReversed()) {
    const of = state.get(store) ?? newStore()
    state.set(store, of)
    undoItem(of[item.kind as Kind], item)
    if (Object.values(of).every((kind) => kind.size === 0)) state.delete(store)
  }
}

function undoItem(all: Map<string, Record<string, unknown>>, item: ChangeItem): void {
  const { kind, action, code, key, was } = item
  const name = kind === 'link' ? JSON.stringify([code, ...JSON.parse(key ?? '')]) : code
  const current = all.get(name)
  expect(current === undefined, JSON.stringify(item)).toBe(action === 'deleted')
  const set = (value: Record<string, unknown>) => {
    expect(current, JSON.stringify(item)).not.toEqual(value)
    all.set(name, value)
  }
  if (action === 'created') all.delete(name)
  else if (kind === 'link') set({ place: Number(was) })
  else if (kind === 'store') set({ ...current, [key ?? '']: JSON.parse(was ?? '') })
  else if (kind !== 'product') set(JSON.parse(was ?? ''))
  else if (action === 'deleted') {
    const { updatedAt: _, ...value } = JSON.parse(was ?? '')
    set(value)
  } else if (key === 'status') set({ ...current, status: was })
  else {
    const others = Object.entries(current?.attributes ?? {}).filter(([attribute]) => attribute !== key)
    const attributes = Object.fromEntries(was === null ? others : [...others, [key, was]])
    set({ ...current, attributes })
  }
}
