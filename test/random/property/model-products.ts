import {
  type Catalogue,
  definitionsOf,
  groupsOf,
  hasLength,
  invalidRequest,
  isStorable,
  isUuid,
  type ModelGroup,
  type ModelProduct,
  type ModelStore,
  productsOf,
  statuses,
  storeNotFound,
  storeOf,
} from './model.ts'
import { type Definition, isBad, isFaulty } from './model-attributes.ts'

export interface NewStore {
  storeName: string
  storeTaxonomy: string
  region: string[]
  channels: string[]
  defaultAutomation: string[]
  storeWebsite: string | null
}

/** Attributes are entries: `__proto__` is a name like any other. */
export interface Patch {
  productCode: string
  status?: string
  attributes: (readonly [name: string, value: unknown])[]
}

export interface ProductQuery {
  status?: string[]
  codePrefix?: string
  codes?: string[]
  search?: string
}

/** `answered` lends the UUIDs that only the gateway knows; they must be new, except the group of a linked store. */
export function createStore(
  catalogue: Catalogue,
  input: NewStore,
  { linked, copyTaxonomy }: { linked?: string; copyTaxonomy: boolean },
  answered: { storeUuid?: string; storeGroup?: string },
) {
  if (isFaultyStore(input) || (copyTaxonomy && linked === undefined)) return invalidRequest
  const other = linked === undefined ? undefined : storeOf(catalogue, linked)
  if (linked !== undefined && !other) return storeNotFound
  const known = catalogue.flatMap((store) => [store.storeUuid, store.storeGroup])
  const fresh = (id = '') => (isUuid(id) && !known.includes(id) ? id : 'a new UUID')
  const store: ModelStore = {
    ...input,
    storeUuid: fresh(answered.storeUuid),
    storeGroup: other?.storeGroup ?? fresh(answered.storeGroup),
    storeName: input.storeName.trim(),
    region: [...new Set(input.region)],
    channels: [...new Set(input.channels)],
    defaultAutomation: [...new Set(input.defaultAutomation)],
    definitions: new Map(copyTaxonomy ? other?.definitions : []),
    products: new Map(),
    assets: new Map(),
    links: [],
  }
  catalogue.push(store)
  return { storeUuid: store.storeUuid, storeGroup: store.storeGroup }
}

export function defineAttributes(catalogue: Catalogue, storeText: string, definitions: readonly Definition[]) {
  if (definitions.some((definition, i) => isFaulty(definition, definitions.slice(0, i)))) return invalidRequest
  const store = storeOf(catalogue, storeText)
  if (!store) return storeNotFound
  const all = new Map([
    ...store.definitions,
    ...definitions.map((definition) => [definition.name, definition] as const),
  ])
  const count = (use: 'filterable' | 'searchable') => [...all.values()].filter((definition) => definition[use]).length
  if (count('filterable') > 8 || count('searchable') > 4) return invalidRequest
  store.definitions = all
  return definitionsOf(store)
}

export function updateProducts(catalogue: Catalogue, storeText: string, patches: readonly Patch[]) {
  const store = storeOf(catalogue, storeText)
  if (!store) return storeNotFound
  const codes = [...new Set(patches.map((patch) => patch.productCode))]
  const known = codes.filter((code) => store.products.has(code))
  const updated = known.filter((code) => badAttributes(store, patches, code).length === 0)
  for (const code of updated) write(store, patches, code)
  return {
    storeUuid: store.storeUuid,
    updatedSkus: updated,
    unavailableSkus: codes.filter((code) => !known.includes(code)),
    failedProducts: failedProducts(store, patches, known),
  }
}

export function upsertProducts(catalogue: Catalogue, storeText: string, patches: readonly Patch[]) {
  const store = storeOf(catalogue, storeText)
  if (!store) return storeNotFound
  const codes = [...new Set(patches.map((patch) => patch.productCode))]
  const existing = codes.filter((code) => store.products.has(code))
  const written = codes.filter((code) => isCode(code) && badAttributes(store, patches, code).length === 0)
  for (const code of written) write(store, patches, code)
  return {
    storeUuid: store.storeUuid,
    createdSkus: written.filter((code) => !existing.includes(code)),
    updatedSkus: written.filter((code) => existing.includes(code)),
    failedProducts: failedProducts(store, patches, codes),
  }
}

export function queryProducts(store: ModelStore, { status, codePrefix, codes, search }: ProductQuery) {
  return productsOf(store).filter(
    ([code, product]) =>
      (status?.includes(product.status) ?? true) &&
      (codePrefix === undefined || code.startsWith(codePrefix)) &&
      (codes?.includes(code) ?? true) &&
      (search === undefined || code.toLowerCase().includes(search.toLowerCase())),
  )
}

/** A product as it is shown, with the groups of its code on a channel or of a format. */
export function productNode(store: ModelStore, productCode: string, groups: Partial<ModelGroup> = {}) {
  const product = store.products.get(productCode)
  return {
    productCode,
    status: product?.status ?? 'none',
    attributes: Object.fromEntries(product?.attributes ?? []),
    assetGroups: groupsOf(store).filter(
      (group) =>
        group.parentCode === productCode &&
        group.channel === (groups.channel ?? group.channel) &&
        group.assetType === (groups.assetType ?? group.assetType),
    ),
  }
}

function isFaultyStore(input: NewStore): boolean {
  const { region, channels, defaultAutomation, storeTaxonomy, storeWebsite } = input
  const bad = [...region, ...channels, ...defaultAutomation, storeTaxonomy].some((value) => value.startsWith('bad'))
  return (
    bad || !isStorable(input) || !hasLength(input.storeName.trim(), 1, 200) || !hasLength(storeWebsite ?? '', 0, 2048)
  )
}

function isCode(code: string): boolean {
  return isStorable(code) && hasLength(code, 1, 255)
}

/** Whether a value is bad for a reason other than the usual; undefined where the usual ones hold. */
type Exception = (name: string, value: unknown) => boolean | undefined

/** The names of a code's bad attributes, in any of its entries, sorted: their order is nobody's business. */
function badAttributes(store: ModelStore, patches: readonly Patch[], code: string, exception?: Exception): string[] {
  const names = patches
    .filter((patch) => patch.productCode === code)
    .flatMap(({ status, attributes }) => [
      ...(status === undefined || statuses.includes(status) ? [] : ['status']),
      ...attributes
        .filter(([name, value]) => exception?.(name, value) ?? isBad(store.definitions, name, value))
        .map(([name]) => name),
    ])
  return [...new Set(names)].sort()
}

export function failedProducts(
  store: ModelStore,
  patches: readonly Patch[],
  codes: readonly string[],
  exception?: Exception,
) {
  return codes.flatMap((productCode) => {
    const attributes = isCode(productCode) ? badAttributes(store, patches, productCode, exception) : ['productCode']
    return attributes.length === 0 ? [] : [{ productCode, attributes }]
  })
}

/** Applies all entries of a code in order. */
function write(store: ModelStore, patches: readonly Patch[], code: string): void {
  const before = store.products.get(code)
  const product: ModelProduct = before ?? { status: 'new', attributes: new Map() }
  const was = JSON.stringify([product.status, [...product.attributes]])
  for (const patch of patches.filter((patch) => patch.productCode === code)) {
    product.status = patch.status ?? product.status
    for (const [name, value] of patch.attributes) product.attributes.set(name, String(value))
  }
  if (was !== JSON.stringify([product.status, [...product.attributes]])) product.updatedAt = undefined
  store.products.set(code, product)
}
