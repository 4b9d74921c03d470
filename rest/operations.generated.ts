/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** Asset URLs with their positions in one group. */
export type AssetPlacement = {
  /** Asset format of the group: one of `enumerations.assetFormats`. */
  assetFormat?: string | null | undefined;
  /** Map from URL field to URL: `Image URL 2` puts the URL at position 2. An invalid entry fails alone. */
  assets: Record<string, unknown>;
  /** Parent code of the group: 1 to 255 characters. A product of this code need not exist. */
  parentCode: string;
};

/** Selects assets of a store. All given conditions must hold. At least one of `channel`, `parentCode` and `assetId` is required, otherwise the item fails with `selector_required`. */
export type AssetSelector = {
  /** Only assets with these ids. An empty list selects no asset. */
  assetId?: Array<string> | null | undefined;
  /** Only assets linked on this channel. */
  channel?: string | null | undefined;
  /** Only assets linked to this parent code. */
  parentCode?: string | null | undefined;
  /** UUID of the store, case-insensitive. */
  storeUuid: string;
};

/** Selects links between assets and one parent code on one channel. */
export type AssetUnlink = {
  /** Ids of the assets to unlink. Default: all assets linked to this parent code on this channel. An empty list selects none. */
  assetId?: Array<string> | null | undefined;
  /** Channel of the links. */
  channel: string;
  /** Parent code of the links. */
  parentCode: string;
  /** UUID of the store, case-insensitive. */
  storeUuid: string;
};

/** What a change did to its items. */
export type ChangeAction =
  /** Created. */
  | 'CREATED'
  /** Deleted. */
  | 'DELETED'
  /** Updated. */
  | 'UPDATED';

/** Kind of the items of a change. */
export type ChangeKind =
  /** Assets: their format and URL. */
  | 'ASSET'
  /** Attribute definitions. */
  | 'DEFINITION'
  /** Links between assets and parent codes, with their places. */
  | 'LINK'
  /** Products: their status and attributes. */
  | 'PRODUCT'
  /** Requirements of channels. */
  | 'REQUIREMENT'
  /** The store itself. */
  | 'STORE';

/** Where a change came from. */
export type ChangeSource =
  /** The command line. */
  | 'CLI'
  /** A request to the GraphQL API. */
  | 'GRAPHQL'
  /** An import in the background. */
  | 'JOB'
  /** A request to the REST API. */
  | 'REST';

/** A store to create (spec: Store). Repeated values of a list are stored once, in order. */
export type CreateStoreInput = {
  /** Channels: values of `enumerations.channels`; may be empty. */
  channels: Array<string>;
  /** Automations: values of `enumerations.defaultAutomations`; may be empty. */
  defaultAutomation: Array<string>;
  /** Regions: values of `enumerations.regions`; may be empty. */
  region: Array<string>;
  /** Name of the store: 1 to 200 characters after trimming; need not be unique. */
  storeName: string;
  /** Taxonomy: one of `enumerations.storeTaxonomies`. */
  storeTaxonomy: string;
  /** Web site: at most 2,048 characters, or null. */
  storeWebsite?: string | null | undefined;
};

/** Kind of a job. */
export type JobKind =
  /** Export of the store's products and their assets as a file. */
  | 'EXPORT'
  /** Import of products and their assets into the store. */
  | 'IMPORT'
  /** Builds or drops the index of attributes whose `filterable` or `searchable` setting changed. */
  | 'INDEX';

/** State of a job. */
export type JobState =
  /** Ended by an error, see `error`. Rows that were written before the error are kept. */
  | 'FAILED'
  /** Waiting to be picked up. */
  | 'QUEUED'
  /** Being worked on; `heartbeatAt` is the time of the last sign of progress. */
  | 'RUNNING'
  /** Finished, and no row failed. */
  | 'SUCCEEDED'
  /** Finished, but rows of the import failed: see `counts`, `problems` and `output`. */
  | 'SUCCEEDED_WITH_FAILURES';

/** Changes to one product. `status` is a string, not a `ProductStatus`, so that an invalid value is a failure of this product only. */
export type ProductPatch = {
  /** Attributes to set; other attributes of the product keep their values. Values are strings of at most 65,535 characters; all attributes of a product take at most 4 MiB of JSON. */
  attributes?: Record<string, unknown> | null | undefined;
  /** SKU code: 1 to 255 characters, case-sensitive. */
  productCode: string;
  /** Status: `active`, `new`, `problem`, `inactive`, `draft` or `under review`, or the name of a `ProductStatus`, in any case. Default: unchanged; `new` for a new product. */
  status?: string | null | undefined;
};

/** Status of a product. Every transition is allowed (spec: States and transitions). */
export type ProductStatus =
  /** `active` over REST. */
  | 'ACTIVE'
  /** `draft` over REST. */
  | 'DRAFT'
  /** `inactive` over REST. */
  | 'INACTIVE'
  /** `new` over REST. */
  | 'NEW'
  /** `problem` over REST. */
  | 'PROBLEM'
  /** `under review` over REST. */
  | 'UNDER_REVIEW';

/** What a revert does with values, links and rows that later requests have changed. */
export type RevertPolicy =
  /** Change nothing and fail with `not_revertible`, with an entry for each. */
  | 'FAIL'
  /** Restore the values from before the request. */
  | 'OVERWRITE'
  /** Leave them as they are, and list them in the result. */
  | 'SKIP';

export type ListAssetsQueryVariables = Exact<{
  storeUuid: string;
  channel: string;
  assetFormat: string;
  offset: number;
  limit: number;
}>;


export type ListAssetsQuery = { assetGroups: { total_groups: number, returned_groups: number, groups: Array<{ channel: string, parent_code: string, asset_type: string, store_uuid: string, assets: Array<{ urlField: string, url: string, asset_id: string }> }> } };

export type UpdateProductsMutationVariables = Exact<{
  storeUuid: string;
  products: Array<ProductPatch> | ProductPatch;
  dryRun: boolean;
}>;


export type UpdateProductsMutation = { updateProducts: { more: number, store_uuid: string, updated_skus: Array<string>, unavailable_skus: Array<string>, failed_products: Array<{ product_code: string, failures: Array<{ attribute: string, reason: string }> }> } };

export type CreateStoreMutationVariables = Exact<{
  input: CreateStoreInput;
  copyTaxonomy: boolean;
  linkedStoreId?: string | null | undefined;
  dryRun: boolean;
}>;


export type CreateStoreMutation = { createStore: { store_uuid: string, store_group: string } };

export type DeleteAssetsMutationVariables = Exact<{
  selectors: Array<AssetSelector> | AssetSelector;
  dryRun: boolean;
}>;


export type DeleteAssetsMutation = { deleteAssets: { failed: number, more: number, deleted_count: number, error_info: Array<{ reason: string, details: string, index: number | null, channel: string | null, store_uuid: string | null, parent_code: string | null, asset_id: string | null }> } };

export type UnlinkAssetsMutationVariables = Exact<{
  links: Array<AssetUnlink> | AssetUnlink;
  dryRun: boolean;
}>;


export type UnlinkAssetsMutation = { unlinkAssets: { unlinked: number, failed: number, more: number, error_info: Array<{ reason: string, details: string, index: number | null, channel: string | null, store_uuid: string | null, parent_code: string | null, asset_id: string | null }> } };

export type ItemFailureFragment = { reason: string, details: string, index: number | null, channel: string | null, store_uuid: string | null, parent_code: string | null, asset_id: string | null };

export type CreateProductsMutationVariables = Exact<{
  storeUuid: string;
  channel: string;
  products: Array<ProductPatch> | ProductPatch;
  dryRun: boolean;
}>;


export type CreateProductsMutation = { createProducts: { more: number, store_uuid: string, created_skus: Array<string>, existing_skus: Array<string>, failed_products: Array<{ product_code: string, failures: Array<{ attribute: string, reason: string }> }> } };

export type ListProductsQueryVariables = Exact<{
  storeUuid: string;
  codes?: Array<string> | string | null | undefined;
  status?: Array<ProductStatus> | ProductStatus | null | undefined;
  offset: number;
  limit: number;
}>;


export type ListProductsQuery = { productPage: { store_uuid: string, total_products: number, returned_products: number, products: Array<{ status: ProductStatus, attributes: Record<string, unknown>, product_code: string, assetGroups: Array<{ channel: string, assets: Array<{ urlField: string, url: string, asset_id: string }> }> }> } };

export type GetProductQueryVariables = Exact<{
  storeUuid: string;
  productCode: string;
  at?: string | null | undefined;
}>;


export type GetProductQuery = { store: { store_uuid: string, product: { status: ProductStatus, attributes: Record<string, unknown>, product_code: string, assetGroups: Array<{ channel: string, assets: Array<{ urlField: string, url: string, asset_id: string }> }> } | null } | null };

export type ProductFragment = { status: ProductStatus, attributes: Record<string, unknown>, product_code: string, assetGroups: Array<{ channel: string, assets: Array<{ urlField: string, url: string, asset_id: string }> }> };

export type PlaceAssetsMutationVariables = Exact<{
  storeUuid: string;
  channel: string;
  groups: Array<AssetPlacement> | AssetPlacement;
  dryRun: boolean;
}>;


export type PlaceAssetsMutation = { placeAssets: { created: number, updated: number, failed: number, more: number, error_info: Array<{ reason: string, details: string, index: number | null, channel: string | null, store_uuid: string | null, parent_code: string | null, asset_id: string | null }> } };

export type ChangeFragment = { cursor: string, at: string, actor: string, operation: string, codes: Array<string>, via: ChangeSource, kind: ChangeKind, action: ChangeAction, reverts: string | null, request_id: string, counts: { created: number, updated: number, deleted: number, failed: number } };

export type ChangeCountsFragment = { created: number, updated: number, deleted: number, failed: number };

export type ListChangesQueryVariables = Exact<{
  storeUuid: string;
  after?: string | null | undefined;
  limit: number;
  productCode?: string | null | undefined;
}>;


export type ListChangesQuery = { store: { changes: { next: string | null, pageInfo: { more: boolean }, edges: Array<{ node: { cursor: string, at: string, actor: string, operation: string, codes: Array<string>, via: ChangeSource, kind: ChangeKind, action: ChangeAction, reverts: string | null, request_id: string, counts: { created: number, updated: number, deleted: number, failed: number } } }> } } | null };

export type GetRequestQueryVariables = Exact<{
  requestId: string;
  storeUuid: string;
}>;


export type GetRequestQuery = { request: { at: string, actor: string, operation: string, failed: number, via: ChangeSource, request_id: string, counts: Array<{ kind: ChangeKind, created: number, updated: number, deleted: number }>, changes: { pageInfo: { more: boolean }, edges: Array<{ node: { cursor: string, at: string, actor: string, operation: string, codes: Array<string>, via: ChangeSource, kind: ChangeKind, action: ChangeAction, reverts: string | null, request_id: string, counts: { created: number, updated: number, deleted: number, failed: number } } }> }, revertedBy: { request_id: string } | null } | null };

export type RequestCountsFragment = { kind: ChangeKind, created: number, updated: number, deleted: number };

export type RevertRequestMutationVariables = Exact<{
  storeUuid: string;
  requestId: string;
  ifChangedSince: RevertPolicy;
  dryRun: boolean;
}>;


export type RevertRequestMutation = { revertRequest: { more: number, store_uuid: string, request_id: string, reverted: { products: number, assets: number, links: number, definitions: number, requirements: number, store_fields: number }, skipped: Array<{ code: string, reason: string, kind: ChangeKind, key: string | null }> } };

export type SkippedItemFragment = { code: string, reason: string, kind: ChangeKind, key: string | null };

export type ListStoresQueryVariables = Exact<{
  search?: string | null | undefined;
  offset: number;
  limit: number;
}>;


export type ListStoresQuery = { storePage: { total_stores: number, returned_stores: number, stores: Array<{ region: Array<string>, channels: Array<string>, store_uuid: string, store_group: string, store_name: string, store_taxonomy: string, default_automation: Array<string>, store_website: string | null, created_at: string }> } };

export type StatusReportQueryVariables = Exact<{
  storeUuids?: Array<string> | string | null | undefined;
  limit: number;
}>;


export type StatusReportQuery = { rows: Array<{ status: ProductStatus, count: number, store_uuid: string, store_name: string }> };

export type CoverageReportQueryVariables = Exact<{
  storeUuids?: Array<string> | string | null | undefined;
  limit: number;
}>;


export type CoverageReportQuery = { rows: Array<{ channel: string, groups: number, products: number, store_uuid: string, store_name: string, asset_format: string }> };

export type ChangeReportQueryVariables = Exact<{
  storeUuids?: Array<string> | string | null | undefined;
  limit: number;
}>;


export type ChangeReportQuery = { rows: Array<{ at: string, actor: string, via: ChangeSource, operation: string, kind: ChangeKind, action: ChangeAction, items: number, failed: number, store_uuid: string, store_name: string, request_id: string }> };

export type JobReportQueryVariables = Exact<{
  storeUuids?: Array<string> | string | null | undefined;
  limit: number;
}>;


export type JobReportQuery = { rows: Array<{ kind: JobKind, state: JobState, rows: number, created: number, updated: number, unchanged: number, failed: number, error: string | null, store_uuid: string, store_name: string, job_id: string, created_at: string, started_at: string | null, finished_at: string | null }> };

export type FailureReportQueryVariables = Exact<{
  storeUuids?: Array<string> | string | null | undefined;
  limit: number;
}>;


export type FailureReportQuery = { rows: Array<{ at: string, kind: JobKind, row: number | null, line: number | null, field: string | null, reason: string, store_uuid: string, store_name: string, job_id: string, product_code: string | null }> };

export const ItemFailureFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ItemFailure"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ErrorInfo"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"details"}},{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","alias":{"kind":"Name","value":"parent_code"},"name":{"kind":"Name","value":"parentCode"}},{"kind":"Field","alias":{"kind":"Name","value":"asset_id"},"name":{"kind":"Name","value":"assetId"}}]}}]} as unknown as DocumentNode<ItemFailureFragment, unknown>;
export const ProductFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Product"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Product"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"product_code"},"name":{"kind":"Name","value":"productCode"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"attributes"}},{"kind":"Field","name":{"kind":"Name","value":"assetGroups"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","name":{"kind":"Name","value":"assets"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"1000000"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"asset_id"},"name":{"kind":"Name","value":"assetId"}},{"kind":"Field","name":{"kind":"Name","value":"urlField"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]}}]} as unknown as DocumentNode<ProductFragment, unknown>;
export const ChangeCountsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ChangeCounts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ChangeCounts"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"created"}},{"kind":"Field","name":{"kind":"Name","value":"updated"}},{"kind":"Field","name":{"kind":"Name","value":"deleted"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}}]}}]} as unknown as DocumentNode<ChangeCountsFragment, unknown>;
export const ChangeFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Change"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Change"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","alias":{"kind":"Name","value":"request_id"},"name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"operation"}},{"kind":"Field","name":{"kind":"Name","value":"counts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ChangeCounts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"codes"}},{"kind":"Field","name":{"kind":"Name","value":"via"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"reverts"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ChangeCounts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ChangeCounts"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"created"}},{"kind":"Field","name":{"kind":"Name","value":"updated"}},{"kind":"Field","name":{"kind":"Name","value":"deleted"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}}]}}]} as unknown as DocumentNode<ChangeFragment, unknown>;
export const RequestCountsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestCounts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"RequestCounts"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"created"}},{"kind":"Field","name":{"kind":"Name","value":"updated"}},{"kind":"Field","name":{"kind":"Name","value":"deleted"}}]}}]} as unknown as DocumentNode<RequestCountsFragment, unknown>;
export const SkippedItemFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SkippedItem"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SkippedItem"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"key"}}]}}]} as unknown as DocumentNode<SkippedItemFragment, unknown>;
export const ListAssetsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ListAssets"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"channel"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"assetFormat"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"offset"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"limit"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetGroups"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"storeUuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}}},{"kind":"Argument","name":{"kind":"Name","value":"channel"},"value":{"kind":"Variable","name":{"kind":"Name","value":"channel"}}},{"kind":"Argument","name":{"kind":"Name","value":"assetFormat"},"value":{"kind":"Variable","name":{"kind":"Name","value":"assetFormat"}}},{"kind":"Argument","name":{"kind":"Name","value":"offset"},"value":{"kind":"Variable","name":{"kind":"Name","value":"offset"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"Variable","name":{"kind":"Name","value":"limit"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"total_groups"},"name":{"kind":"Name","value":"totalGroups"}},{"kind":"Field","alias":{"kind":"Name","value":"returned_groups"},"name":{"kind":"Name","value":"returnedGroups"}},{"kind":"Field","name":{"kind":"Name","value":"groups"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"parent_code"},"name":{"kind":"Name","value":"parentCode"}},{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","alias":{"kind":"Name","value":"asset_type"},"name":{"kind":"Name","value":"assetType"}},{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","name":{"kind":"Name","value":"assets"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"1000000"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"asset_id"},"name":{"kind":"Name","value":"assetId"}},{"kind":"Field","name":{"kind":"Name","value":"urlField"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ListAssetsQuery, ListAssetsQueryVariables>;
export const UpdateProductsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateProducts"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"products"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ProductPatch"}}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updateProducts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"storeUuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}}},{"kind":"Argument","name":{"kind":"Name","value":"products"},"value":{"kind":"Variable","name":{"kind":"Name","value":"products"}}},{"kind":"Argument","name":{"kind":"Name","value":"dryRun"},"value":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","alias":{"kind":"Name","value":"updated_skus"},"name":{"kind":"Name","value":"updatedSkus"}},{"kind":"Field","alias":{"kind":"Name","value":"unavailable_skus"},"name":{"kind":"Name","value":"unavailableSkus"}},{"kind":"Field","alias":{"kind":"Name","value":"failed_products"},"name":{"kind":"Name","value":"failedProducts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"product_code"},"name":{"kind":"Name","value":"productCode"}},{"kind":"Field","name":{"kind":"Name","value":"failures"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"attribute"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"more"}}]}}]}}]} as unknown as DocumentNode<UpdateProductsMutation, UpdateProductsMutationVariables>;
export const CreateStoreDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateStore"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateStoreInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"copyTaxonomy"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"linkedStoreId"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createStore"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}},{"kind":"Argument","name":{"kind":"Name","value":"copyTaxonomy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"copyTaxonomy"}}},{"kind":"Argument","name":{"kind":"Name","value":"linkedStoreId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"linkedStoreId"}}},{"kind":"Argument","name":{"kind":"Name","value":"dryRun"},"value":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","alias":{"kind":"Name","value":"store_group"},"name":{"kind":"Name","value":"storeGroup"}}]}}]}}]} as unknown as DocumentNode<CreateStoreMutation, CreateStoreMutationVariables>;
export const DeleteAssetsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteAssets"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"selectors"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"AssetSelector"}}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteAssets"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"selectors"},"value":{"kind":"Variable","name":{"kind":"Name","value":"selectors"}}},{"kind":"Argument","name":{"kind":"Name","value":"dryRun"},"value":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"deleted_count"},"name":{"kind":"Name","value":"deletedCount"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","alias":{"kind":"Name","value":"error_info"},"name":{"kind":"Name","value":"errorInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ItemFailure"}}]}},{"kind":"Field","name":{"kind":"Name","value":"more"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ItemFailure"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ErrorInfo"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"details"}},{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","alias":{"kind":"Name","value":"parent_code"},"name":{"kind":"Name","value":"parentCode"}},{"kind":"Field","alias":{"kind":"Name","value":"asset_id"},"name":{"kind":"Name","value":"assetId"}}]}}]} as unknown as DocumentNode<DeleteAssetsMutation, DeleteAssetsMutationVariables>;
export const UnlinkAssetsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UnlinkAssets"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"links"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"AssetUnlink"}}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"unlinkAssets"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"links"},"value":{"kind":"Variable","name":{"kind":"Name","value":"links"}}},{"kind":"Argument","name":{"kind":"Name","value":"dryRun"},"value":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"unlinked"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","alias":{"kind":"Name","value":"error_info"},"name":{"kind":"Name","value":"errorInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ItemFailure"}}]}},{"kind":"Field","name":{"kind":"Name","value":"more"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ItemFailure"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ErrorInfo"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"details"}},{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","alias":{"kind":"Name","value":"parent_code"},"name":{"kind":"Name","value":"parentCode"}},{"kind":"Field","alias":{"kind":"Name","value":"asset_id"},"name":{"kind":"Name","value":"assetId"}}]}}]} as unknown as DocumentNode<UnlinkAssetsMutation, UnlinkAssetsMutationVariables>;
export const CreateProductsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateProducts"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"channel"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"products"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ProductPatch"}}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createProducts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"storeUuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}}},{"kind":"Argument","name":{"kind":"Name","value":"channel"},"value":{"kind":"Variable","name":{"kind":"Name","value":"channel"}}},{"kind":"Argument","name":{"kind":"Name","value":"products"},"value":{"kind":"Variable","name":{"kind":"Name","value":"products"}}},{"kind":"Argument","name":{"kind":"Name","value":"dryRun"},"value":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","alias":{"kind":"Name","value":"created_skus"},"name":{"kind":"Name","value":"createdSkus"}},{"kind":"Field","alias":{"kind":"Name","value":"existing_skus"},"name":{"kind":"Name","value":"existingSkus"}},{"kind":"Field","alias":{"kind":"Name","value":"failed_products"},"name":{"kind":"Name","value":"failedProducts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"product_code"},"name":{"kind":"Name","value":"productCode"}},{"kind":"Field","name":{"kind":"Name","value":"failures"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"attribute"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"more"}}]}}]}}]} as unknown as DocumentNode<CreateProductsMutation, CreateProductsMutationVariables>;
export const ListProductsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ListProducts"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"codes"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"status"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ProductStatus"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"offset"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"limit"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"productPage"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"storeUuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"codes"},"value":{"kind":"Variable","name":{"kind":"Name","value":"codes"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"status"},"value":{"kind":"Variable","name":{"kind":"Name","value":"status"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"offset"},"value":{"kind":"Variable","name":{"kind":"Name","value":"offset"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"Variable","name":{"kind":"Name","value":"limit"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","alias":{"kind":"Name","value":"total_products"},"name":{"kind":"Name","value":"totalProducts"}},{"kind":"Field","alias":{"kind":"Name","value":"returned_products"},"name":{"kind":"Name","value":"returnedProducts"}},{"kind":"Field","name":{"kind":"Name","value":"products"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Product"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Product"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Product"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"product_code"},"name":{"kind":"Name","value":"productCode"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"attributes"}},{"kind":"Field","name":{"kind":"Name","value":"assetGroups"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","name":{"kind":"Name","value":"assets"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"1000000"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"asset_id"},"name":{"kind":"Name","value":"assetId"}},{"kind":"Field","name":{"kind":"Name","value":"urlField"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]}}]} as unknown as DocumentNode<ListProductsQuery, ListProductsQueryVariables>;
export const GetProductDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"GetProduct"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"productCode"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"at"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"store"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"storeUuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","name":{"kind":"Name","value":"product"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"productCode"},"value":{"kind":"Variable","name":{"kind":"Name","value":"productCode"}}},{"kind":"Argument","name":{"kind":"Name","value":"at"},"value":{"kind":"Variable","name":{"kind":"Name","value":"at"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Product"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Product"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Product"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"product_code"},"name":{"kind":"Name","value":"productCode"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"attributes"}},{"kind":"Field","name":{"kind":"Name","value":"assetGroups"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","name":{"kind":"Name","value":"assets"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"1000000"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"asset_id"},"name":{"kind":"Name","value":"assetId"}},{"kind":"Field","name":{"kind":"Name","value":"urlField"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]}}]} as unknown as DocumentNode<GetProductQuery, GetProductQueryVariables>;
export const PlaceAssetsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"PlaceAssets"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"channel"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"groups"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"AssetPlacement"}}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"placeAssets"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"storeUuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}}},{"kind":"Argument","name":{"kind":"Name","value":"channel"},"value":{"kind":"Variable","name":{"kind":"Name","value":"channel"}}},{"kind":"Argument","name":{"kind":"Name","value":"groups"},"value":{"kind":"Variable","name":{"kind":"Name","value":"groups"}}},{"kind":"Argument","name":{"kind":"Name","value":"dryRun"},"value":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"created"}},{"kind":"Field","name":{"kind":"Name","value":"updated"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","alias":{"kind":"Name","value":"error_info"},"name":{"kind":"Name","value":"errorInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ItemFailure"}}]}},{"kind":"Field","name":{"kind":"Name","value":"more"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ItemFailure"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ErrorInfo"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"details"}},{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","alias":{"kind":"Name","value":"parent_code"},"name":{"kind":"Name","value":"parentCode"}},{"kind":"Field","alias":{"kind":"Name","value":"asset_id"},"name":{"kind":"Name","value":"assetId"}}]}}]} as unknown as DocumentNode<PlaceAssetsMutation, PlaceAssetsMutationVariables>;
export const ListChangesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ListChanges"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"limit"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"productCode"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"store"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"storeUuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"changes"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"limit"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"productCode"},"value":{"kind":"Variable","name":{"kind":"Name","value":"productCode"}}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"next"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"more"},"name":{"kind":"Name","value":"hasNextPage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Change"}}]}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ChangeCounts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ChangeCounts"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"created"}},{"kind":"Field","name":{"kind":"Name","value":"updated"}},{"kind":"Field","name":{"kind":"Name","value":"deleted"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Change"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Change"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","alias":{"kind":"Name","value":"request_id"},"name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"operation"}},{"kind":"Field","name":{"kind":"Name","value":"counts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ChangeCounts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"codes"}},{"kind":"Field","name":{"kind":"Name","value":"via"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"reverts"}}]}}]} as unknown as DocumentNode<ListChangesQuery, ListChangesQueryVariables>;
export const GetRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"GetRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"request"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"requestId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}}},{"kind":"Argument","name":{"kind":"Name","value":"storeUuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"request_id"},"name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"operation"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","name":{"kind":"Name","value":"via"}},{"kind":"Field","name":{"kind":"Name","value":"counts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestCounts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"changes"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"more"},"name":{"kind":"Name","value":"hasNextPage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Change"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"revertedBy"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"request_id"},"name":{"kind":"Name","value":"requestId"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ChangeCounts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ChangeCounts"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"created"}},{"kind":"Field","name":{"kind":"Name","value":"updated"}},{"kind":"Field","name":{"kind":"Name","value":"deleted"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestCounts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"RequestCounts"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"created"}},{"kind":"Field","name":{"kind":"Name","value":"updated"}},{"kind":"Field","name":{"kind":"Name","value":"deleted"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Change"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Change"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","alias":{"kind":"Name","value":"request_id"},"name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"operation"}},{"kind":"Field","name":{"kind":"Name","value":"counts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ChangeCounts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"codes"}},{"kind":"Field","name":{"kind":"Name","value":"via"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"reverts"}}]}}]} as unknown as DocumentNode<GetRequestQuery, GetRequestQueryVariables>;
export const RevertRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RevertRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ifChangedSince"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RevertPolicy"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"revertRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"storeUuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"storeUuid"}}},{"kind":"Argument","name":{"kind":"Name","value":"requestId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}}},{"kind":"Argument","name":{"kind":"Name","value":"ifChangedSince"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ifChangedSince"}}},{"kind":"Argument","name":{"kind":"Name","value":"dryRun"},"value":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","alias":{"kind":"Name","value":"request_id"},"name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"reverted"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"products"}},{"kind":"Field","name":{"kind":"Name","value":"assets"}},{"kind":"Field","name":{"kind":"Name","value":"links"}},{"kind":"Field","name":{"kind":"Name","value":"definitions"}},{"kind":"Field","name":{"kind":"Name","value":"requirements"}},{"kind":"Field","alias":{"kind":"Name","value":"store_fields"},"name":{"kind":"Name","value":"storeFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"skipped"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SkippedItem"}}]}},{"kind":"Field","name":{"kind":"Name","value":"more"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SkippedItem"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SkippedItem"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"key"}}]}}]} as unknown as DocumentNode<RevertRequestMutation, RevertRequestMutationVariables>;
export const ListStoresDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ListStores"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"search"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"offset"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"limit"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"storePage"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"offset"},"value":{"kind":"Variable","name":{"kind":"Name","value":"offset"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"Variable","name":{"kind":"Name","value":"limit"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"total_stores"},"name":{"kind":"Name","value":"totalStores"}},{"kind":"Field","alias":{"kind":"Name","value":"returned_stores"},"name":{"kind":"Name","value":"returnedStores"}},{"kind":"Field","name":{"kind":"Name","value":"stores"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","alias":{"kind":"Name","value":"store_group"},"name":{"kind":"Name","value":"storeGroup"}},{"kind":"Field","alias":{"kind":"Name","value":"store_name"},"name":{"kind":"Name","value":"storeName"}},{"kind":"Field","alias":{"kind":"Name","value":"store_taxonomy"},"name":{"kind":"Name","value":"storeTaxonomy"}},{"kind":"Field","name":{"kind":"Name","value":"region"}},{"kind":"Field","name":{"kind":"Name","value":"channels"}},{"kind":"Field","alias":{"kind":"Name","value":"default_automation"},"name":{"kind":"Name","value":"defaultAutomation"}},{"kind":"Field","alias":{"kind":"Name","value":"store_website"},"name":{"kind":"Name","value":"storeWebsite"}},{"kind":"Field","alias":{"kind":"Name","value":"created_at"},"name":{"kind":"Name","value":"createdAt"}}]}}]}}]}}]} as unknown as DocumentNode<ListStoresQuery, ListStoresQueryVariables>;
export const StatusReportDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"StatusReport"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"storeUuids"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"limit"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"rows"},"name":{"kind":"Name","value":"statusRows"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"storeUuids"},"value":{"kind":"Variable","name":{"kind":"Name","value":"storeUuids"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"Variable","name":{"kind":"Name","value":"limit"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","alias":{"kind":"Name","value":"store_name"},"name":{"kind":"Name","value":"storeName"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"count"}}]}}]}}]} as unknown as DocumentNode<StatusReportQuery, StatusReportQueryVariables>;
export const CoverageReportDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CoverageReport"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"storeUuids"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"limit"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"rows"},"name":{"kind":"Name","value":"coverageRows"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"storeUuids"},"value":{"kind":"Variable","name":{"kind":"Name","value":"storeUuids"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"Variable","name":{"kind":"Name","value":"limit"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","alias":{"kind":"Name","value":"store_name"},"name":{"kind":"Name","value":"storeName"}},{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","alias":{"kind":"Name","value":"asset_format"},"name":{"kind":"Name","value":"assetFormat"}},{"kind":"Field","name":{"kind":"Name","value":"groups"}},{"kind":"Field","name":{"kind":"Name","value":"products"}}]}}]}}]} as unknown as DocumentNode<CoverageReportQuery, CoverageReportQueryVariables>;
export const ChangeReportDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ChangeReport"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"storeUuids"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"limit"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"rows"},"name":{"kind":"Name","value":"changeRows"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"storeUuids"},"value":{"kind":"Variable","name":{"kind":"Name","value":"storeUuids"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"Variable","name":{"kind":"Name","value":"limit"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","alias":{"kind":"Name","value":"store_name"},"name":{"kind":"Name","value":"storeName"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","alias":{"kind":"Name","value":"request_id"},"name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"via"}},{"kind":"Field","name":{"kind":"Name","value":"operation"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"items"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}}]}}]}}]} as unknown as DocumentNode<ChangeReportQuery, ChangeReportQueryVariables>;
export const JobReportDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"JobReport"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"storeUuids"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"limit"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"rows"},"name":{"kind":"Name","value":"jobRows"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"storeUuids"},"value":{"kind":"Variable","name":{"kind":"Name","value":"storeUuids"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"Variable","name":{"kind":"Name","value":"limit"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","alias":{"kind":"Name","value":"store_name"},"name":{"kind":"Name","value":"storeName"}},{"kind":"Field","alias":{"kind":"Name","value":"job_id"},"name":{"kind":"Name","value":"jobId"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"rows"}},{"kind":"Field","name":{"kind":"Name","value":"created"}},{"kind":"Field","name":{"kind":"Name","value":"updated"}},{"kind":"Field","name":{"kind":"Name","value":"unchanged"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","name":{"kind":"Name","value":"error"}},{"kind":"Field","alias":{"kind":"Name","value":"created_at"},"name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","alias":{"kind":"Name","value":"started_at"},"name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","alias":{"kind":"Name","value":"finished_at"},"name":{"kind":"Name","value":"finishedAt"}}]}}]}}]} as unknown as DocumentNode<JobReportQuery, JobReportQueryVariables>;
export const FailureReportDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"FailureReport"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"storeUuids"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"limit"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"rows"},"name":{"kind":"Name","value":"failureRows"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"storeUuids"},"value":{"kind":"Variable","name":{"kind":"Name","value":"storeUuids"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"Variable","name":{"kind":"Name","value":"limit"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"store_uuid"},"name":{"kind":"Name","value":"storeUuid"}},{"kind":"Field","alias":{"kind":"Name","value":"store_name"},"name":{"kind":"Name","value":"storeName"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","alias":{"kind":"Name","value":"job_id"},"name":{"kind":"Name","value":"jobId"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"row"}},{"kind":"Field","name":{"kind":"Name","value":"line"}},{"kind":"Field","alias":{"kind":"Name","value":"product_code"},"name":{"kind":"Name","value":"productCode"}},{"kind":"Field","name":{"kind":"Name","value":"field"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}}]}}]}}]} as unknown as DocumentNode<FailureReportQuery, FailureReportQueryVariables>;