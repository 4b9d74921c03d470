import type { Fault } from '../../errors.ts'
import { isName, isStorable, lengthOf, shown } from '../../text.ts'
import type { Enumerations } from '../enumerations.ts'

export interface NewStore {
  storeName: string
  storeTaxonomy: string
  region: readonly string[]
  channels: readonly string[]
  defaultAutomation: readonly string[]
  storeWebsite?: string | null | undefined
}

/** Every fault of the given fields of a store, in their order (spec: Store). */
export function storeFaults(enumerations: Enumerations, input: Partial<NewStore>): Omit<Fault, 'reason'>[] {
  return [
    ...(input.storeName === undefined ? [] : nameFaults(input.storeName)),
    ...(input.storeTaxonomy === undefined
      ? []
      : oneOf('storeTaxonomy', input.storeTaxonomy, enumerations.storeTaxonomies)),
    ...eachOf('region', input.region ?? [], enumerations.regions),
    ...eachOf('channels', input.channels ?? [], enumerations.channels),
    ...eachOf('defaultAutomation', input.defaultAutomation ?? [], enumerations.defaultAutomations),
    ...websiteFaults(input.storeWebsite),
  ]
}

function nameFaults(name: string) {
  if (isName(name.trim(), 200)) return []
  return [{ field: 'storeName', details: `storeName must have 1 to 200 characters after trimming; got ${shown(name)}` }]
}

function websiteFaults(website: string | null | undefined) {
  if (website == null || (isStorable(website) && lengthOf(website) <= 2048)) return []
  const field = 'storeWebsite'
  return [{ field, details: `${field} must be a text of up to 2048 characters, or null; got ${shown(website)}` }]
}

function eachOf(field: string, values: readonly string[], allowed: readonly string[]) {
  return values.flatMap((value, i) => oneOf(`${field}[${i}]`, value, allowed))
}

function oneOf(field: string, value: string, allowed: readonly string[]) {
  if (allowed.includes(value)) return []
  return [{ field, details: `${field} must be one of ${allowed.join(', ')}; got ${shown(value)}` }]
}
