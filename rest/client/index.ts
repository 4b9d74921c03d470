export { type CatalogueClient, createCatalogueClient, type ListedGroup } from './catalogue-client.ts'
export type { CatalogueEvent } from './follow.ts'
export { type CallOptions, CatalogueApiError, type ClientOptions } from './send.ts'
