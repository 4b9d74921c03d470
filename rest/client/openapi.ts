/** Made by tools/client-types.js of docs/openapi.json. Do not change it by hand. */

export interface components {
    schemas: {
        /** @description An asset: `asset_id` and one URL field, whose name contains the asset format and the position in the group, such as `Image URL 1`. */
        AssetEntry: {
            /** @description Id of the asset, unique in its store. */
            asset_id: string;
        } & {
            [key: string]: string;
        };
        /** @description Assets of one parent code, channel and asset format. */
        AssetGroup: {
            /** @description Channel of the group. */
            channel: string;
            /** @description Asset format of the group. */
            asset_type: string;
            /** @description UUID of the store. */
            store_uuid: string;
            /** @description Assets in the order of their positions. */
            assets: components["schemas"]["AssetEntry"][];
        };
        /** @description What a request did to rows of one kind in one store. A request that does several things, or one thing to very many rows, has several changes. */
        Change: {
            /** @description Kind and action, such as `product.updated`; for readiness `readiness.changed`. */
            type: string;
            /** @description Opaque cursor after this change, for `after`. */
            cursor: string;
            /**
             * Format: date-time
             * @description Time of the change.
             */
            at: string;
            /** @description UUID of the store. */
            store_uuid: string;
            /** @description Id of the request: its `X-Request-Id`, or a generated one. */
            request_id: string;
            /** @description Name of the token at that time, or the user of the command line. */
            actor: string;
            /** @description Name of the mutation, such as `updateProducts`, also over REST; `import` for imports. */
            operation: string;
            /** @description Number of items changed. */
            counts: components["schemas"]["ChangeCounts"];
            /** @description Names of the items: codes of products, ids of assets, parent codes of links, names of definitions, channels of requirements; the job of an import; for the store, or all products, an empty string. At most 20,000: a request that changed more has several changes. */
            codes: string[];
            /** @description What was changed of the items: names of attributes, and `status`; channels of links and readiness; fields of the store; the state of an import. Empty where whole items were created or deleted. */
            keys: string[];
            /**
             * @description Where the request came from.
             * @enum {string}
             */
            via: "cli" | "graphql" | "job" | "rest";
            /**
             * @description Kind of the changed items.
             * @enum {string}
             */
            kind: "asset" | "definition" | "import" | "link" | "product" | "readiness" | "requirement" | "store";
            /**
             * @description What was done to the items.
             * @enum {string}
             */
            action: "blocked" | "changed" | "created" | "deleted" | "finished" | "ready" | "updated";
            /** @description Id of the request that this change reverts. */
            reverts?: string;
        };
        /** @description Number of products, assets, links, definitions, channels with requirements or stores that a change is about. */
        ChangeCounts: {
            /** @description Number that were created. */
            created: number;
            /** @description Number that were updated. */
            updated: number;
            /** @description Number that were deleted. */
            deleted: number;
            /** @description Number of failed items of the request. One change of the request has it; the others have 0. */
            failed: number;
            /** @description Number of items. For an import: its rows; after an evaluation of new requirements: the blocked products. */
            total: number;
        };
        ChangeDelivery: {
            /** @description Type of the events. */
            type: string;
            /**
             * Format: date-time
             * @description Time of the last event.
             */
            timestamp: string;
            /** @description A change, or several of the type. */
            data: components["schemas"]["DeliveredChange"] | {
                changes: components["schemas"]["DeliveredChange"][];
            };
        };
        ChangeReportAnswer: {
            data: {
                /** @description Rows of the report. */
                rows: {
                    /** @description UUID of the store. */
                    store_uuid: string;
                    /** @description Name of the store. */
                    store_name: string;
                    /**
                     * Format: date-time
                     * @description Time of the change.
                     */
                    at: string;
                    /** @description Id of the request: its `X-Request-Id`, or a generated one. */
                    request_id: string;
                    /** @description Name of the token at that time, or the user of the command line. */
                    actor: string;
                    /**
                     * @description Where the request came from.
                     * @enum {string}
                     */
                    via: "cli" | "graphql" | "job" | "rest";
                    /** @description Name of the mutation, such as `updateProducts`, also over REST; `import` for imports. */
                    operation: string;
                    /**
                     * @description Kind of the changed items.
                     * @enum {string}
                     */
                    kind: "asset" | "definition" | "import" | "link" | "product" | "readiness" | "requirement" | "store";
                    /**
                     * @description What was done to the items.
                     * @enum {string}
                     */
                    action: "blocked" | "changed" | "created" | "deleted" | "finished" | "ready" | "updated";
                    /** @description Number of values that changed. */
                    items: number;
                    /** @description Number of failed items of the request. Only one change of the request has it; the others have 0. */
                    failed: number;
                }[];
            };
        };
        CoverageReportAnswer: {
            data: {
                /** @description Rows of the report. */
                rows: {
                    /** @description UUID of the store. */
                    store_uuid: string;
                    /** @description Name of the store. */
                    store_name: string;
                    /** @description Channel of the groups. */
                    channel: string;
                    /** @description Format of the assets in the groups. */
                    asset_format: string;
                    /** @description Number of parent codes that have an asset of the format on the channel; 0 for a channel of the store without assets. A parent code need not be the code of a product. */
                    groups: number;
                    /** @description Number of products of the store, for comparison. */
                    products: number;
                }[];
            };
        };
        CreateProductsAnswer: {
            data: {
                /** @description UUID of the store. */
                store_uuid: string;
                /** @description Codes of products that were created, in the order of the request. Absent with `Prefer: return=minimal`. */
                created_skus?: string[];
                /** @description Without `upsert`: codes of products that existed before; they are not changed. Absent with `Prefer: return=minimal`. */
                existing_skus?: string[];
                /** @description Map from SKU code to a map from attribute name to the reason of its failure, at most 200 characters. */
                failed_products: {
                    [key: string]: {
                        [key: string]: string;
                    };
                };
                /** @description Number of failures that this answer leaves out: it has at most 10,000, and 4 MiB. Absent if it has all. */
                more?: number;
                /** @description With `upsert=true`: codes of products that existed before, changed or not. Absent with `Prefer: return=minimal`. */
                updated_skus?: string[];
            };
        };
        CreateProductsBody: ({
            /** @description SKU code: 1 to 255 characters, case-sensitive. */
            product_code: string;
        } & {
            [key: string]: unknown;
        })[];
        CreateStoreAnswer: {
            data: {
                /** @description UUID of the store, in lower case. */
                store_uuid: string;
                /** @description UUID of the group of linked stores that the store belongs to. */
                store_group: string;
            };
        };
        CreateStoreBody: {
            /** @description Name of the store: 1 to 200 characters after trimming; need not be unique. */
            store_name: string;
            /**
             * @description Taxonomy of the store.
             * @enum {string}
             */
            store_taxonomy: "catalog" | "brand";
            /** @description Regions; may be empty. */
            region: ("India" | "Africa" | "Asia" | "Europe" | "Global" | "Middle East" | "North America" | "Oceania" | "South America")[];
            /** @description Channels; may be empty. */
            channels: ("SMP" | "channel_value_1" | "channel_value_2" | "channel_value_3" | "channel_value_4" | "channel_value_5" | "channel_value_6" | "channel_value_7" | "channel_value_8" | "channel_value_9" | "channel_value_10" | "channel_value_11" | "channel_value_12" | "channel_value_13" | "channel_value_14" | "channel_value_15" | "channel_value_16" | "channel_value_17" | "channel_value_18" | "channel_value_19" | "channel_value_20" | "channel_value_21" | "channel_value_22" | "channel_value_23" | "channel_value_24" | "channel_value_25" | "channel_value_26" | "channel_value_27" | "channel_value_28" | "channel_value_29" | "channel_value_30" | "channel_value_31" | "channel_value_32" | "channel_value_33" | "channel_value_34" | "channel_value_35" | "channel_value_36" | "channel_value_37")[];
            /** @description Automations that are enabled by default; may be empty. */
            default_automation: ("color_distribution" | "analyze_attribute" | "analyze_image" | "mask_computation" | "product_listing_audit" | "image_automation" | "bulk_actions" | "uniqueness_checker" | "product_quality_score" | "detail_shot_generator" | "infographic_creator" | "video_generation" | "size_chart_creator" | "data_sync_to_external" | "delete_product_images" | "bulk_edit" | "data_export" | "text_classifier" | "optical_character_recognition" | "image_classifier" | "image_classifier_express" | "image_classifier_precise" | "conditional_attribution" | "product_description" | "product_title_generation" | "SEO_Automations" | "swatch_generation" | "image_type" | "image_upload" | "bulk_image_upload" | "hotspot_generation" | "unique_content_generator" | "master_automation" | "multimedia_visibility" | "background_removal" | "face_swap" | "service-1" | "service-2" | "service-3" | "service-4" | "service-5" | "metadata_translation" | "image_translation" | "update_availability" | "smp_upgrade" | "SMP_image_upsert")[];
            /** @description Web site of the store, never fetched. */
            store_website?: string | null;
        };
        CreateWebhookAnswer: {
            data: {
                /** @description Secret that signs the deliveries (Standard Webhooks). It is returned only once: empty in a repetition by `Idempotency-Key`. */
                secret: string;
                /** @description The webhook. */
                webhook: components["schemas"]["Webhook"];
            };
        };
        CreateWebhookBody: {
            /** @description URL of the receiver: `https`, a public host, port 443 or above 1023, without user and password. */
            url: string;
            /** @description Headers to send besides the usual ones: at most five. */
            headers?: {
                /** @description Name. */
                name: string;
                /** @description Value; never shown again. */
                value: string;
            }[] | null;
            /** @description Which events to deliver; all conditions must hold. */
            filter?: {
                /** @description Types of events, such as `product.updated`. */
                types?: string[] | null;
                /** @description Names of mutations, such as `updateProducts`; `import` for imports. */
                operations?: string[] | null;
                /** @description Attributes of products, and `status`. */
                attributes?: string[] | null;
                /** @description Channels of links and requirements. */
                channels?: string[] | null;
                /** @description First characters of the codes. */
                code_prefix?: string | null;
            } | null;
        };
        DeleteAssetsAnswer: {
            data: {
                /** @description Number of assets deleted, each with all its links. */
                deleted_count: number;
                /** @description Number of items or asset ids that failed. */
                failed: number;
                /** @description One entry per failure; a single empty object when nothing failed. */
                error_info: (components["schemas"]["ItemFailure"] | Record<string, never>)[];
                /** @description Number of failures that this answer leaves out: it has at most 10,000, and 4 MiB. Absent if it has all. */
                more?: number;
            };
        };
        DeleteAssetsBody: {
            /** @description UUID of the store, case-insensitive. */
            store_uuid: string;
            /** @description Only assets linked on this channel. */
            channel?: string | null;
            /** @description Only assets linked to this parent code. */
            parent_code?: string | null;
            asset_id?: (string | string[]) | null;
        }[];
        DeleteProductsAnswer: {
            data: {
                /** @description Number of products that were deleted. */
                deleted_count: number;
                /** @description Number of items or asset ids that failed. */
                failed: number;
                /** @description One entry per failure; a single empty object when nothing failed. */
                error_info: (components["schemas"]["ItemFailure"] | Record<string, never>)[];
                /** @description Number of failures that this answer leaves out: it has at most 10,000, and 4 MiB. Absent if it has all. */
                more?: number;
            };
        };
        DeleteProductsBody: string[];
        DeleteWebhookAnswer: {
            data: {
                /** @description UUID of the webhook. */
                webhook_id: string;
                /** @description UUID of the store. */
                store_uuid: string;
                /** @description URL of the receiver. */
                url: string;
                /** @description Names of the headers that are sent besides the usual ones. Their values are not shown. */
                header_names: string[];
                /** @description Which events are delivered. */
                filter: components["schemas"]["WebhookFilter"];
                /**
                 * Format: date-time
                 * @description Time of the first failed attempt since the last success; null if the last attempt succeeded.
                 */
                failing_since?: string;
                /**
                 * Format: date-time
                 * @description Time of the next attempt after one that failed.
                 */
                next_attempt_at?: string;
                /** @description Cursor of the feed: all events up to it are delivered. */
                cursor: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                created_at: string;
                /**
                 * @description State of the webhook.
                 * @enum {string}
                 */
                state: "active" | "disabled" | "failing" | "lost" | "paused";
            };
        };
        /** @description A change: at most 200 of its codes. Of several in a delivery, those with `more` may have none. */
        DeliveredChange: {
            /** @description Kind and action, such as `product.updated`; for readiness `readiness.changed`. */
            type: string;
            /** @description Opaque cursor after this change, for `after`. */
            cursor: string;
            /**
             * Format: date-time
             * @description Time of the change.
             */
            at: string;
            /** @description UUID of the store. */
            store_uuid: string;
            /** @description Id of the request: its `X-Request-Id`, or a generated one. */
            request_id: string;
            /** @description Name of the token at that time, or the user of the command line. */
            actor: string;
            /** @description Name of the mutation, such as `updateProducts`, also over REST; `import` for imports. */
            operation: string;
            /** @description Number of items changed. */
            counts: components["schemas"]["ChangeCounts"];
            /** @description Names of the items: codes of products, ids of assets, parent codes of links, names of definitions, channels of requirements; the job of an import; for the store, or all products, an empty string. At most 20,000: a request that changed more has several changes. */
            codes: string[];
            /** @description What was changed of the items: names of attributes, and `status`; channels of links and readiness; fields of the store; the state of an import. Empty where whole items were created or deleted. */
            keys: string[];
            /**
             * @description Where the request came from.
             * @enum {string}
             */
            via: "cli" | "graphql" | "job" | "rest";
            /**
             * @description Kind of the changed items.
             * @enum {string}
             */
            kind: "asset" | "definition" | "import" | "link" | "product" | "readiness" | "requirement" | "store";
            /**
             * @description What was done to the items.
             * @enum {string}
             */
            action: "blocked" | "changed" | "created" | "deleted" | "finished" | "ready" | "updated";
            /** @description Id of the request that this change reverts. */
            reverts?: string;
            /**
             * @description There are more codes or keys: `GET /v1/changes` has them.
             * @constant
             */
            more?: true;
        };
        /** @description Envelope of every error. */
        Error: {
            status: {
                /**
                 * @description -1 on any error.
                 * @constant
                 */
                code: -1;
                /** @constant */
                message: "ERROR";
                /** @description The `X-Request-Id` of the request, or a generated UUID. */
                request_id: string;
            };
            data: {
                /** @description One entry per fault, so that a client can correct all of them at once. */
                error_info: components["schemas"]["ErrorInfo"][];
            };
        };
        /** @description One fault of the request. */
        ErrorInfo: {
            /**
             * @description Stable code for programs.
             * @enum {string}
             */
            reason: "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "store_not_found" | "request_not_found" | "product_not_found" | "webhook_not_found" | "import_not_found" | "method_not_allowed" | "idempotency_conflict" | "changes_disabled" | "not_revertible" | "plan_outdated" | "cursor_expired" | "too_many_affected" | "payload_too_large" | "unsupported_media_type" | "rate_limited" | "quota_exceeded" | "internal_error" | "downstream_unavailable" | "unavailable";
            /** @description Human-readable explanation: the expected value and the received one. */
            details: string;
            /** @description Parameter or field with the fault, such as `limit` or `region[1]`. */
            field?: string;
            /** @description Index of the item in the body, from 0. */
            index?: number;
        };
        FailureReportAnswer: {
            data: {
                /** @description Rows of the report. */
                rows: {
                    /** @description UUID of the store. */
                    store_uuid: string;
                    /** @description Name of the store. */
                    store_name: string;
                    /**
                     * Format: date-time
                     * @description Time of the request for the job.
                     */
                    at: string;
                    /** @description UUID of the job. */
                    job_id: string;
                    /**
                     * @description Kind of the job.
                     * @enum {string}
                     */
                    kind: "export" | "import";
                    /** @description Number of the row, from 1; null for the error of the job. */
                    row: number | null;
                    /** @description Line of the file on which the row starts, from 1; null for formats without lines. */
                    line: number | null;
                    /** @description Product code of the row; null if it has none. */
                    product_code: string | null;
                    /** @description Invalid column; null when the whole row is invalid. */
                    field: string | null;
                    /** @description Explanation: the expected value and the received one. */
                    reason: string;
                }[];
            };
        };
        GetImportAnswer: {
            data: {
                /** @description UUID of the job. */
                job_id: string;
                /** @description UUID of the store that the job belongs to. */
                store_uuid: string;
                /**
                 * @description State of the job.
                 * @enum {string}
                 */
                state: "failed" | "queued" | "running" | "succeeded" | "succeeded with failures" | "uploading";
                /** @description Cause of the failure of the job; null unless it failed. */
                error: string | null;
                /** @description Progress: number of rows processed (import), or of products written (export). */
                rows_done: number;
                /** @description Counts of an import so far; all zero for other jobs. */
                counts: {
                    /** @description Number of products created. */
                    created: number;
                    /** @description Number of existing products changed. */
                    updated: number;
                    /** @description Number of rows that changed nothing. */
                    unchanged: number;
                    /** @description Number of rows of which nothing was stored. */
                    failed: number;
                    /** @description Number of assets created in the store. */
                    assets_added: number;
                    /** @description Number of links created between assets and products. */
                    links_added: number;
                    /** @description Number of bad asset URLs of rows that did not fail. */
                    assets_failed: number;
                    /** @description Number of rows that replaced values of earlier rows. */
                    replaced: number;
                };
                /** @description What the import changed or assumed when it read the file; empty until its end. */
                notes: {
                    /** @description Code of the note, such as `short_rows`. */
                    code: string;
                    /** @description Column; null for the whole file. */
                    column: string | null;
                    /** @description Number of rows that the note is about. */
                    rows: number;
                    /** @description The first value that the note is about. */
                    example: string | null;
                }[];
                /** @description Format of the file of an import; null until it is read, and for exports. */
                format: ("csv" | "json" | "jsonl" | "xlsx" | "xml") | null;
                /** @description Encoding of the file of an import, such as `Windows-1252`; null for XLSX, for exports, and until it is read. */
                encoding: string | null;
                /** @description Separator of the cells of CSV; null for other formats, for exports, and until it is read. */
                delimiter: string | null;
                /** @description Request id of the recorded changes of an import; null if none are recorded. */
                request_id: string | null;
                /**
                 * Format: date-time
                 * @description Time of the request.
                 */
                created_at: string;
                /** @description Time at which the job was started; null while it is queued. */
                started_at: string | null;
                /** @description Time at which the job succeeded or failed; null before. */
                finished_at: string | null;
            };
        };
        GetProductAnswer: {
            data: {
                /** @description UUID of the store, in lower case. */
                store_uuid: string;
                /** @description The product. */
                product: components["schemas"]["Product"];
            };
        };
        GetRequestAnswer: {
            data: {
                /** @description Id of the request: its `X-Request-Id`, or a generated one. */
                request_id: string;
                /**
                 * Format: date-time
                 * @description Time of its first change.
                 */
                at: string;
                /** @description Name of the token at that time, or the user of the command line. */
                actor: string;
                /** @description Name of the mutation, such as `updateProducts`, also over REST; `import` for imports. */
                operation: string;
                /** @description Number of items of the request that failed. */
                failed: number;
                /**
                 * @description Where the request came from.
                 * @enum {string}
                 */
                via: "cli" | "graphql" | "job" | "rest";
                /** @description Number of items changed, by kind. */
                counts: components["schemas"]["RequestCounts"][];
                /** @description The first 100 changes of the request, the oldest first. */
                changes: components["schemas"]["Change"][];
                /** @description Whether the receipt is truncated. */
                more: boolean;
                /** @description Id of the last request that reverted it. */
                reverted_by?: string;
            };
        };
        GetWebhookAnswer: {
            data: {
                /** @description UUID of the webhook. */
                webhook_id: string;
                /** @description UUID of the store. */
                store_uuid: string;
                /** @description URL of the receiver. */
                url: string;
                /** @description Names of the headers that are sent besides the usual ones. Their values are not shown. */
                header_names: string[];
                /** @description Which events are delivered. */
                filter: components["schemas"]["WebhookFilter"];
                /**
                 * Format: date-time
                 * @description Time of the first failed attempt since the last success; null if the last attempt succeeded.
                 */
                failing_since?: string;
                /**
                 * Format: date-time
                 * @description Time of the next attempt after one that failed.
                 */
                next_attempt_at?: string;
                /** @description Cursor of the feed: all events up to it are delivered. */
                cursor: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                created_at: string;
                /**
                 * @description State of the webhook.
                 * @enum {string}
                 */
                state: "active" | "disabled" | "failing" | "lost" | "paused";
            };
        };
        /** @description Failure of one item of a request, or of one asset id in an item. The other items are not affected. */
        ItemFailure: {
            /**
             * @description Stable code: `asset_not_found`, `link_not_found`, `store_not_found`, `product_not_found`, `selector_required`, `asset_conflict` or `invalid_request`.
             * @enum {string}
             */
            reason: "asset_not_found" | "link_not_found" | "store_not_found" | "product_not_found" | "selector_required" | "asset_conflict" | "invalid_request";
            /** @description Human-readable explanation: the expected value and the received one, at most 200 characters. */
            details: string;
            /** @description Index of the item in the request, from 0. */
            index?: number;
            /** @description Store UUID of the item. */
            store_uuid?: string;
            /** @description Channel of the item. */
            channel?: string;
            /** @description Parent code of the item. */
            parent_code?: string;
            /** @description Asset id that failed. */
            asset_id?: string;
            /** @description SKU code that failed. */
            product_code?: string;
        };
        JobReportAnswer: {
            data: {
                /** @description Rows of the report. */
                rows: {
                    /** @description UUID of the store. */
                    store_uuid: string;
                    /** @description Name of the store. */
                    store_name: string;
                    /** @description UUID of the job. */
                    job_id: string;
                    /**
                     * @description Kind of the job.
                     * @enum {string}
                     */
                    kind: "export" | "import";
                    /**
                     * @description State of the job.
                     * @enum {string}
                     */
                    state: "failed" | "queued" | "running" | "succeeded" | "succeeded with failures" | "uploading";
                    /** @description Number of rows processed. */
                    rows: number;
                    /** @description Number of products created. */
                    created: number;
                    /** @description Number of existing products changed. */
                    updated: number;
                    /** @description Number of rows that changed nothing. */
                    unchanged: number;
                    /** @description Number of rows that failed. */
                    failed: number;
                    /** @description Cause of the failure of the job; null unless it failed. */
                    error: string | null;
                    /**
                     * Format: date-time
                     * @description Time of the request.
                     */
                    created_at: string;
                    /** @description Time at which the job was started; null while it is queued. */
                    started_at: string | null;
                    /** @description Time at which the job succeeded or failed; null before. */
                    finished_at: string | null;
                }[];
            };
        };
        ListAssetsAnswer: {
            data: {
                /** @description Exact number of groups that match, on all pages. */
                total_groups: number;
                /** @description Number of groups on this page. */
                returned_groups: number;
                /** @description Map from parent code to group, ordered by parent code (by code point). */
                assets: {
                    [key: string]: components["schemas"]["AssetGroup"];
                };
            };
        };
        ListChangesAnswer: {
            data: {
                /** @description Changes after the cursor, in order. */
                changes: components["schemas"]["Change"][];
                /** @description Cursor of the next page, also when this one is empty. */
                next: string;
                /** @description Whether more changes are available now. */
                more: boolean;
            };
        };
        ListProductsAnswer: {
            data: {
                /** @description UUID of the store. */
                store_uuid: string;
                /** @description Exact number of products that match, on all pages. */
                total_products: number;
                /** @description Number of products on this page. */
                returned_products: number;
                /** @description Map from SKU code to product, ordered by code (by code point). */
                products: {
                    [key: string]: components["schemas"]["Product"];
                };
            };
        };
        ListStoresAnswer: {
            data: {
                /** @description Number of stores that match, on all pages. */
                total_stores: number;
                /** @description Number of stores on this page. */
                returned_stores: number;
                /** @description Stores of this page. */
                stores: components["schemas"]["Store"][];
            };
        };
        ListWebhookDeliveriesAnswer: {
            data: {
                /** @description Attempts, the newest first. */
                deliveries: components["schemas"]["WebhookDelivery"][];
            };
        };
        ListWebhooksAnswer: {
            data: {
                /** @description Webhooks of the store. */
                webhooks: components["schemas"]["Webhook"][];
            };
        };
        NoticeDelivery: {
            /** @description Type of the events. */
            type: string;
            /**
             * Format: date-time
             * @description Time of the last event.
             */
            timestamp: string;
            data: {
                /** @description Type of the event. */
                type: string;
                /**
                 * Format: date-time
                 * @description Time of the event.
                 */
                at: string;
                /** @description UUID of the store. */
                store_uuid: string;
            } & {
                [key: string]: unknown;
            };
        };
        PatchProductsAnswer: {
            data: {
                /** @description UUID of the store. */
                store_uuid: string;
                /** @description Codes of products that were updated, changed or not, in the order of the request. Absent with `Prefer: return=minimal`. */
                updated_skus?: string[];
                /** @description Codes without a product in the store. */
                unavailable_skus: string[];
                /** @description Map from SKU code to a map from attribute name to the reason of its failure, at most 200 characters. */
                failed_products: {
                    [key: string]: {
                        [key: string]: string;
                    };
                };
                /** @description Number of failures that this answer leaves out: it has at most 10,000, and 4 MiB. Absent if it has all. */
                more?: number;
            };
        };
        PatchProductsBody: ({
            /** @description SKU code: 1 to 255 characters, case-sensitive. */
            product_code: string;
            /** @description Names of attributes to remove. Those that the product does not have are ignored; one that is also set is a failure. */
            attributes_to_remove?: string[] | null;
        } & {
            [key: string]: unknown;
        })[];
        PlaceAssetsAnswer: {
            data: {
                /** @description Number of assets that are new in their group. */
                created: number;
                /** @description Number of assets that were in their group and moved. */
                updated: number;
                /** @description Number of items or asset ids that failed. */
                failed: number;
                /** @description One entry per failure; a single empty object when nothing failed. */
                error_info: (components["schemas"]["ItemFailure"] | Record<string, never>)[];
                /** @description Number of failures that this answer leaves out: it has at most 10,000, and 4 MiB. Absent if it has all. */
                more?: number;
            };
        };
        PlaceAssetsBody: {
            /** @description Parent code of the group: 1 to 255 characters. A product of this code need not exist. */
            parent_code: string;
            /** @description Asset format of the group. Default: `image`. */
            asset_type?: string | null;
            /** @description Map from URL field to URL. The number in the field name is the position: `Image URL 2` is position 2. */
            assets: {
                [key: string]: unknown;
            };
        }[];
        /** @description A product: `product_code`, `status`, `assets`, and its attributes as further members. Attribute values are strings. */
        Product: {
            /** @description Product code. */
            product_code: string;
            /**
             * @description Status of the product.
             * @enum {string}
             */
            status: "active" | "new" | "problem" | "inactive" | "draft" | "under review";
            /** @description Map from channel to the assets of the product on it. */
            assets: {
                [key: string]: components["schemas"]["AssetEntry"][];
            };
        } & {
            [key: string]: unknown;
        };
        ReplayWebhookAnswer: {
            data: {
                /** @description UUID of the webhook. */
                webhook_id: string;
                /** @description UUID of the store. */
                store_uuid: string;
                /** @description URL of the receiver. */
                url: string;
                /** @description Names of the headers that are sent besides the usual ones. Their values are not shown. */
                header_names: string[];
                /** @description Which events are delivered. */
                filter: components["schemas"]["WebhookFilter"];
                /**
                 * Format: date-time
                 * @description Time of the first failed attempt since the last success; null if the last attempt succeeded.
                 */
                failing_since?: string;
                /**
                 * Format: date-time
                 * @description Time of the next attempt after one that failed.
                 */
                next_attempt_at?: string;
                /** @description Cursor of the feed: all events up to it are delivered. */
                cursor: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                created_at: string;
                /**
                 * @description State of the webhook.
                 * @enum {string}
                 */
                state: "active" | "disabled" | "failing" | "lost" | "paused";
            };
        };
        /** @description Number of items of one kind that a request changed. */
        RequestCounts: {
            /**
             * @description Kind of the items.
             * @enum {string}
             */
            kind: "asset" | "definition" | "import" | "link" | "product" | "readiness" | "requirement" | "store";
            /** @description Number that were created. */
            created: number;
            /** @description Number that were updated. */
            updated: number;
            /** @description Number that were deleted. */
            deleted: number;
        };
        RetryWebhookAnswer: {
            data: {
                /** @description UUID of the webhook. */
                webhook_id: string;
                /** @description UUID of the store. */
                store_uuid: string;
                /** @description URL of the receiver. */
                url: string;
                /** @description Names of the headers that are sent besides the usual ones. Their values are not shown. */
                header_names: string[];
                /** @description Which events are delivered. */
                filter: components["schemas"]["WebhookFilter"];
                /**
                 * Format: date-time
                 * @description Time of the first failed attempt since the last success; null if the last attempt succeeded.
                 */
                failing_since?: string;
                /**
                 * Format: date-time
                 * @description Time of the next attempt after one that failed.
                 */
                next_attempt_at?: string;
                /** @description Cursor of the feed: all events up to it are delivered. */
                cursor: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                created_at: string;
                /**
                 * @description State of the webhook.
                 * @enum {string}
                 */
                state: "active" | "disabled" | "failing" | "lost" | "paused";
            };
        };
        RevertRequestAnswer: {
            data: {
                /** @description UUID of the store. */
                store_uuid: string;
                /** @description Request id of the revert itself, by which it can be reverted. */
                request_id: string;
                /** @description Number of items that were changed, by kind. */
                reverted: {
                    /** @description Number of products changed, deleted or created again. */
                    products: number;
                    /** @description Number of assets deleted or created again. */
                    assets: number;
                    /** @description Number of links removed, moved or created again. */
                    links: number;
                    /** @description Number of attribute definitions changed. */
                    definitions: number;
                    /** @description Number of channels whose requirements changed. */
                    requirements: number;
                    /** @description Number of fields of the store changed. */
                    store_fields: number;
                };
                /** @description Items that were not reverted: at most 10,000, and 4 MiB. */
                skipped: components["schemas"]["SkippedItem"][];
                /** @description Number of failures that this answer leaves out: it has at most 10,000, and 4 MiB. Absent if it has all. */
                more?: number;
            };
        };
        RotateWebhookSecretAnswer: {
            data: {
                /** @description Secret that signs the deliveries (Standard Webhooks). It is returned only once: empty in a repetition by `Idempotency-Key`. */
                secret: string;
                /** @description The webhook. */
                webhook: components["schemas"]["Webhook"];
            };
        };
        SkipWebhookEventAnswer: {
            data: {
                /** @description UUID of the webhook. */
                webhook_id: string;
                /** @description UUID of the store. */
                store_uuid: string;
                /** @description URL of the receiver. */
                url: string;
                /** @description Names of the headers that are sent besides the usual ones. Their values are not shown. */
                header_names: string[];
                /** @description Which events are delivered. */
                filter: components["schemas"]["WebhookFilter"];
                /**
                 * Format: date-time
                 * @description Time of the first failed attempt since the last success; null if the last attempt succeeded.
                 */
                failing_since?: string;
                /**
                 * Format: date-time
                 * @description Time of the next attempt after one that failed.
                 */
                next_attempt_at?: string;
                /** @description Cursor of the feed: all events up to it are delivered. */
                cursor: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                created_at: string;
                /**
                 * @description State of the webhook.
                 * @enum {string}
                 */
                state: "active" | "disabled" | "failing" | "lost" | "paused";
            };
        };
        /** @description A value, link or row that was not reverted. */
        SkippedItem: {
            /** @description Code of the product, id of the asset, parent code of the link, name of the definition, or channel of the requirements; empty for the store. */
            code: string;
            /**
             * @description Stable code: `changed_since`, `gone` (the row that it belongs to does not exist), `too_large` (the attributes of the product would take more than 4 MiB) or `store_created` (stores are never deleted).
             * @enum {string}
             */
            reason: "changed_since" | "gone" | "too_large" | "store_created";
            /**
             * @description Kind of the item.
             * @enum {string}
             */
            kind: "asset" | "definition" | "import" | "link" | "product" | "readiness" | "requirement" | "store";
            /** @description Name of the attribute or `status`; channel and asset id of a link as a JSON list; field of the store. Null: the whole row. */
            key?: string;
        };
        StartImportAnswer: {
            data: {
                /** @description UUID of the store that the job belongs to. */
                store_uuid: string;
                /** @description UUID of the job. */
                job_id: string;
                /**
                 * @description State of the job.
                 * @enum {string}
                 */
                state: "failed" | "queued" | "running" | "succeeded" | "succeeded with failures" | "uploading";
            };
        };
        StatusReportAnswer: {
            data: {
                /** @description Rows of the report. */
                rows: {
                    /** @description UUID of the store. */
                    store_uuid: string;
                    /** @description Name of the store. */
                    store_name: string;
                    /**
                     * @description Status.
                     * @enum {string}
                     */
                    status: "active" | "draft" | "inactive" | "new" | "problem" | "under review";
                    /** @description Number of products with this status: 1 or more. */
                    count: number;
                }[];
            };
        };
        /** @description A store: the owner of products and assets. */
        Store: {
            /** @description UUID of the store, in lower case. */
            store_uuid: string;
            /** @description UUID of the group of linked stores that the store belongs to. */
            store_group: string;
            /** @description Name of the store, not necessarily unique. */
            store_name: string;
            /** @description Taxonomy of the store. */
            store_taxonomy: string;
            /** @description Regions of the store. */
            region: string[];
            /** @description Channels of the store. */
            channels: string[];
            /** @description Automations that are enabled by default. */
            default_automation: string[];
            /** @description Web site of the store. The gateway stores it and never fetches it. */
            store_website: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        TestWebhookAnswer: {
            data: {
                /** @description UUID of the webhook. */
                webhook_id: string;
                /** @description UUID of the store. */
                store_uuid: string;
                /** @description URL of the receiver. */
                url: string;
                /** @description Names of the headers that are sent besides the usual ones. Their values are not shown. */
                header_names: string[];
                /** @description Which events are delivered. */
                filter: components["schemas"]["WebhookFilter"];
                /**
                 * Format: date-time
                 * @description Time of the first failed attempt since the last success; null if the last attempt succeeded.
                 */
                failing_since?: string;
                /**
                 * Format: date-time
                 * @description Time of the next attempt after one that failed.
                 */
                next_attempt_at?: string;
                /** @description Cursor of the feed: all events up to it are delivered. */
                cursor: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                created_at: string;
                /**
                 * @description State of the webhook.
                 * @enum {string}
                 */
                state: "active" | "disabled" | "failing" | "lost" | "paused";
            };
        };
        UnlinkAssetsAnswer: {
            data: {
                /** @description Number of links removed. The assets are kept. */
                unlinked: number;
                /** @description Number of items or asset ids that failed. */
                failed: number;
                /** @description One entry per failure; a single empty object when nothing failed. */
                error_info: (components["schemas"]["ItemFailure"] | Record<string, never>)[];
                /** @description Number of failures that this answer leaves out: it has at most 10,000, and 4 MiB. Absent if it has all. */
                more?: number;
            };
        };
        UnlinkAssetsBody: {
            /** @description UUID of the store, case-insensitive. */
            store_uuid: string;
            /** @description Parent code of the links. */
            parent_code: string;
            /** @description Channel of the links. */
            channel: string;
            asset_id?: (string | string[]) | null;
        }[];
        UpdateProductsAnswer: {
            data: {
                /** @description UUID of the store. */
                store_uuid: string;
                /** @description Codes of products that were updated, changed or not, in the order of the request. Absent with `Prefer: return=minimal`. */
                updated_skus?: string[];
                /** @description Codes without a product in the store. */
                unavailable_skus: string[];
                /** @description Map from SKU code to a map from attribute name to the reason of its failure, at most 200 characters. */
                failed_products: {
                    [key: string]: {
                        [key: string]: string;
                    };
                };
                /** @description Number of failures that this answer leaves out: it has at most 10,000, and 4 MiB. Absent if it has all. */
                more?: number;
            };
        };
        UpdateProductsBody: ({
            /** @description SKU code: 1 to 255 characters, case-sensitive. */
            product_code: string;
        } & {
            [key: string]: unknown;
        })[];
        UpdateWebhookAnswer: {
            data: {
                /** @description UUID of the webhook. */
                webhook_id: string;
                /** @description UUID of the store. */
                store_uuid: string;
                /** @description URL of the receiver. */
                url: string;
                /** @description Names of the headers that are sent besides the usual ones. Their values are not shown. */
                header_names: string[];
                /** @description Which events are delivered. */
                filter: components["schemas"]["WebhookFilter"];
                /**
                 * Format: date-time
                 * @description Time of the first failed attempt since the last success; null if the last attempt succeeded.
                 */
                failing_since?: string;
                /**
                 * Format: date-time
                 * @description Time of the next attempt after one that failed.
                 */
                next_attempt_at?: string;
                /** @description Cursor of the feed: all events up to it are delivered. */
                cursor: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                created_at: string;
                /**
                 * @description State of the webhook.
                 * @enum {string}
                 */
                state: "active" | "disabled" | "failing" | "lost" | "paused";
            };
        };
        UpdateWebhookBody: {
            /** @description URL of the receiver: `https`, a public host, port 443 or above 1023, without user and password. */
            url?: string | null;
            /** @description Headers to send besides the usual ones: at most five. */
            headers?: {
                /** @description Name. */
                name: string;
                /** @description Value; never shown again. */
                value: string;
            }[] | null;
            /** @description Which events to deliver; all conditions must hold. */
            filter?: {
                /** @description Types of events, such as `product.updated`. */
                types?: string[] | null;
                /** @description Names of mutations, such as `updateProducts`; `import` for imports. */
                operations?: string[] | null;
                /** @description Attributes of products, and `status`. */
                attributes?: string[] | null;
                /** @description Channels of links and requirements. */
                channels?: string[] | null;
                /** @description First characters of the codes. */
                code_prefix?: string | null;
            } | null;
            /** @description Whether changes are delivered. */
            enabled?: boolean | null;
        };
        /** @description A URL to which the changes of a store are posted, in the order of the feed and at least once. */
        Webhook: {
            /** @description UUID of the webhook. */
            webhook_id: string;
            /** @description UUID of the store. */
            store_uuid: string;
            /** @description URL of the receiver. */
            url: string;
            /** @description Names of the headers that are sent besides the usual ones. Their values are not shown. */
            header_names: string[];
            /** @description Which events are delivered. */
            filter: components["schemas"]["WebhookFilter"];
            /**
             * Format: date-time
             * @description Time of the first failed attempt since the last success; null if the last attempt succeeded.
             */
            failing_since?: string;
            /**
             * Format: date-time
             * @description Time of the next attempt after one that failed.
             */
            next_attempt_at?: string;
            /** @description Cursor of the feed: all events up to it are delivered. */
            cursor: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * @description State of the webhook.
             * @enum {string}
             */
            state: "active" | "disabled" | "failing" | "lost" | "paused";
        };
        /** @description An attempt to deliver one or several events. Kept for seven days. */
        WebhookDelivery: {
            /** @description UUID of the attempt. */
            delivery_id: string;
            /** @description Header `webhook-id`: the same for each attempt. It has the first and the last cursor. */
            event_id: string;
            /** @description Type of the events. */
            type: string;
            /** @description Number of the attempt, from 1. */
            attempt: number;
            /**
             * Format: date-time
             * @description Time at which the attempt ended.
             */
            at: string;
            /** @description HTTP status of the answer; null without one. */
            http_status?: number;
            /** @description Duration in milliseconds. */
            duration_ms: number;
            /** @description Why it failed; null if it succeeded. */
            reason?: string;
            /** @description First 2 KB of the body of the answer; null without one. */
            response?: string;
        };
        /** @description The filter of a webhook; null: no condition. */
        WebhookFilter: {
            /** @description Types of events. */
            types?: string[];
            /** @description Names of mutations. */
            operations?: string[];
            /** @description Attributes of products. */
            attributes?: string[];
            /** @description Channels of links and requirements. */
            channels?: string[];
            /** @description First characters of codes. */
            code_prefix?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    listAssets: {
        parameters: {
            query: {
                /** @description UUID of the store, case-insensitive. */
                store_uuid: string;
                /** @description Channel to list. An unknown channel lists nothing. */
                channel?: string;
                /** @description Asset format to list. */
                asset_format?: "image" | "video" | "pdf" | "3D" | "text";
                /** @description Number of groups to skip. Past the end the page is empty. */
                offset?: number;
                /** @description Page size in groups; values above 50 are clamped to 50. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAssetsAnswer"];
                };
            };
        };
    };
    placeAssets: {
        parameters: {
            query: {
                /** @description UUID of the store, case-insensitive. */
                store_uuid: string;
                /** @description Channel of the assets. */
                channel?: "SMP" | "channel_value_1" | "channel_value_2" | "channel_value_3" | "channel_value_4" | "channel_value_5" | "channel_value_6" | "channel_value_7" | "channel_value_8" | "channel_value_9" | "channel_value_10" | "channel_value_11" | "channel_value_12" | "channel_value_13" | "channel_value_14" | "channel_value_15" | "channel_value_16" | "channel_value_17" | "channel_value_18" | "channel_value_19" | "channel_value_20" | "channel_value_21" | "channel_value_22" | "channel_value_23" | "channel_value_24" | "channel_value_25" | "channel_value_26" | "channel_value_27" | "channel_value_28" | "channel_value_29" | "channel_value_30" | "channel_value_31" | "channel_value_32" | "channel_value_33" | "channel_value_34" | "channel_value_35" | "channel_value_36" | "channel_value_37";
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlaceAssetsBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlaceAssetsAnswer"];
                };
            };
        };
    };
    deleteAssets: {
        parameters: {
            query?: {
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteAssetsBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteAssetsAnswer"];
                };
            };
        };
    };
    listProducts: {
        parameters: {
            query: {
                /** @description UUID of the store, case-insensitive. */
                store_uuid: string;
                /** @description Only products with these codes. Repeat the parameter or separate codes by commas. */
                sku_codes?: string[];
                /** @description Only products with these codes and those of `sku_codes`. Each value is one code, commas included. */
                sku_code?: string[];
                /** @description Only products with this status. */
                status?: "active" | "new" | "problem" | "inactive" | "draft" | "under review";
                /** @description Number of products to skip. Past the end the page is empty. */
                offset?: number;
                /** @description Page size in products; values above 100 are clamped to 100. */
                limit?: number;
                /** @description CSV: the columns, in this order, as a line of CSV: `product_code,"SMP: Image URL 1"`. Default: `product_code`, `status`, all attributes of the store by code point, and columns such as `SMP: Image URL 1` up to its largest group: the same on each page. Required if these are more than 2,000. Repeat the parameter or separate names by commas. */
                columns?: string[];
                /** @description CSV: decimal separator of NUMBER attributes. Default: a point. With a comma, a text such as `12,5` on the page is an error. */
                decimal?: "point" | "comma";
                /** @description CSV: whether to prefix cells that a spreadsheet would run as formulas with an apostrophe. */
                escape_formulas?: boolean;
                /** @description CSV: separator of cells: `,` `;` `|` or `tab`. */
                delimiter?: string;
                /** @description CSV: whether to begin with a byte-order mark, by which Excel recognizes UTF-8. */
                bom?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListProductsAnswer"];
                    "text/csv": string;
                    "application/jsonl": string;
                };
            };
        };
    };
    updateProducts: {
        parameters: {
            query: {
                /** @description UUID of the store, case-insensitive. */
                store_uuid: string;
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateProductsBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateProductsAnswer"];
                };
            };
        };
    };
    createProducts: {
        parameters: {
            query: {
                /** @description UUID of the store, case-insensitive. */
                store_uuid: string;
                /** @description Channel of the assets. */
                channel?: "SMP" | "channel_value_1" | "channel_value_2" | "channel_value_3" | "channel_value_4" | "channel_value_5" | "channel_value_6" | "channel_value_7" | "channel_value_8" | "channel_value_9" | "channel_value_10" | "channel_value_11" | "channel_value_12" | "channel_value_13" | "channel_value_14" | "channel_value_15" | "channel_value_16" | "channel_value_17" | "channel_value_18" | "channel_value_19" | "channel_value_20" | "channel_value_21" | "channel_value_22" | "channel_value_23" | "channel_value_24" | "channel_value_25" | "channel_value_26" | "channel_value_27" | "channel_value_28" | "channel_value_29" | "channel_value_30" | "channel_value_31" | "channel_value_32" | "channel_value_33" | "channel_value_34" | "channel_value_35" | "channel_value_36" | "channel_value_37";
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
                /** @description Whether to merge into products that exist. */
                upsert?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateProductsBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateProductsAnswer"];
                };
            };
        };
    };
    deleteProducts: {
        parameters: {
            query: {
                /** @description UUID of the store, case-insensitive. */
                store_uuid: string;
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteProductsBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteProductsAnswer"];
                };
            };
        };
    };
    patchProducts: {
        parameters: {
            query: {
                /** @description UUID of the store, case-insensitive. */
                store_uuid: string;
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PatchProductsBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PatchProductsAnswer"];
                };
            };
        };
    };
    listStores: {
        parameters: {
            query?: {
                /** @description Only stores whose name contains this text, case-insensitive. */
                search?: string;
                /** @description Number of stores to skip. Past the end the page is empty. */
                offset?: number;
                /** @description Page size in stores; values above 100 are clamped to 100. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListStoresAnswer"];
                };
            };
        };
    };
    createStore: {
        parameters: {
            query?: {
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
                /** @description Whether to copy the attribute definitions of the linked store. Requires `linked_store_id`. */
                copy_taxonomy?: boolean;
                /** @description UUID of a store whose group the new store joins. Default: a new group. The word `null` means absent. */
                linked_store_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateStoreBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateStoreAnswer"];
                };
            };
        };
    };
    unlinkAssets: {
        parameters: {
            query?: {
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UnlinkAssetsBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnlinkAssetsAnswer"];
                };
            };
        };
    };
    getProduct: {
        parameters: {
            query: {
                /** @description UUID of the store, case-insensitive. */
                store_uuid: string;
                /** @description Time, to the millisecond. Default: now. */
                at?: string;
            };
            header?: never;
            path: {
                /** @description SKU code, case-sensitive. */
                product_code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetProductAnswer"];
                };
            };
        };
    };
    listChanges: {
        parameters: {
            query: {
                /** @description UUID of the store, case-insensitive. */
                store_uuid: string;
                /** @description Cursor: only changes after it. Default: from the oldest that is kept. `latest`: none, only the cursor. */
                after?: string;
                /** @description Page size in changes; values above 100 are clamped to 100. */
                limit?: number;
                /** @description Only changes of this product and of the links of its assets. */
                product_code?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListChangesAnswer"];
                };
            };
        };
    };
    getRequest: {
        parameters: {
            query: {
                /** @description UUID of the store, case-insensitive. */
                store_uuid: string;
            };
            header?: never;
            path: {
                /** @description Id of the request: `status.request_id` of its answer. */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetRequestAnswer"];
                };
            };
        };
    };
    revertRequest: {
        parameters: {
            query: {
                /** @description UUID of the store, case-insensitive. */
                store_uuid: string;
                /** @description What to do with values changed by later requests. */
                if_changed_since?: "skip" | "fail" | "overwrite";
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the request to revert. */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevertRequestAnswer"];
                };
            };
        };
    };
    startImport: {
        parameters: {
            query: {
                /** @description UUID of the store, case-insensitive. */
                store_uuid: string;
                /** @description Channel to link the assets on. Default: `SMP`. */
                channel?: "SMP" | "channel_value_1" | "channel_value_2" | "channel_value_3" | "channel_value_4" | "channel_value_5" | "channel_value_6" | "channel_value_7" | "channel_value_8" | "channel_value_9" | "channel_value_10" | "channel_value_11" | "channel_value_12" | "channel_value_13" | "channel_value_14" | "channel_value_15" | "channel_value_16" | "channel_value_17" | "channel_value_18" | "channel_value_19" | "channel_value_20" | "channel_value_21" | "channel_value_22" | "channel_value_23" | "channel_value_24" | "channel_value_25" | "channel_value_26" | "channel_value_27" | "channel_value_28" | "channel_value_29" | "channel_value_30" | "channel_value_31" | "channel_value_32" | "channel_value_33" | "channel_value_34" | "channel_value_35" | "channel_value_36" | "channel_value_37";
                /** @description Format of the file. Default: recognized from its bytes. */
                format?: "csv" | "jsonl" | "json" | "xml" | "xlsx";
                /** @description Encoding of the file. Default: recognized from its bytes. */
                encoding?: "UTF-8" | "UTF-16LE" | "UTF-16BE" | "Windows-1252";
                /** @description CSV: separator of cells, or `tab`. Default: recognized from the header. */
                delimiter?: string;
                /** @description CSV: remove the apostrophes that an export with `escape_formulas` added, and read `="0012"` as `0012`. */
                unescape_formulas?: boolean;
                /** @description XLSX: name of the sheet. Default: the first visible one. */
                sheet?: string;
                /** @description JSON: keys to the array in an object, such as `data.products`. */
                at?: string;
                /** @description Decimal separator of NUMBER attributes. Default: a point. */
                decimal?: "point" | "comma";
                /** @description Shop system that exported the file. Default: none, that is plain columns. */
                preset?: "shopify" | "magento" | "woocommerce" | "google-merchant";
                /** @description Column of the product code. Default: `product_code`, otherwise `sku`. */
                code?: string;
                /** @description Column of the product status. Default: `status`. */
                status?: string;
                /** @description Values of the status column: `Aktiv=active,Entwurf=draft`. */
                map_status?: string;
                /** @description Columns of image URLs: repeat the parameter. */
                assets?: string[];
                /** @description Separator between the URLs of a cell. Default: recognized. */
                asset_separator?: string;
                /** @description Base URL for relative asset URLs. */
                asset_base?: string;
                /** @description `COLUMN=ATTRIBUTE`: imports a column as an attribute of another name. Repeat the parameter. */
                map?: string[];
                /** @description Import only the columns of `map` as attributes. */
                only_mapped?: boolean;
                /** @description What happens to a later row of a product: its values replace earlier ones, or it fails. Default: `merge`. */
                duplicates?: "merge" | "fail";
                /** @description Dry run: count what would change, and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartImportAnswer"];
                };
            };
        };
    };
    getImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the import: `job_id` of its start. */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetImportAnswer"];
                };
            };
        };
    };
    getImportFailures: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the import: `job_id` of its start. */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/jsonl": string;
                    "application/json": string;
                };
            };
        };
    };
    followChanges: {
        parameters: {
            query?: {
                /** @description UUIDs of at most 100 stores, separated by commas or repeated. Default: all stores of the token, if they are at most 100. */
                store_uuid?: string[];
                /** @description Only events of these types, such as `product.updated`, separated by commas. */
                types?: string;
                /** @description Only changes by these mutations, such as `updateProducts`. */
                operations?: string;
                /** @description Only changes of these attributes of products (`status` is one), products that are created or deleted, and definitions of these attributes. */
                attributes?: string;
                /** @description Only changes of links, requirements and readiness on these channels. */
                channels?: string;
                /** @description Only items whose code begins with this prefix. */
                code_prefix?: string;
                /** @description Cursor of the last known change. Default: `latest`, from now on. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    statusReport: {
        parameters: {
            query?: {
                /** @description UUIDs of stores, at most 100: repeat the parameter or separate them by commas. Default: all accessible stores; an error if there are more than 100. */
                store_uuids?: string[];
                /** @description Maximum number of rows; values above 10,000 are clamped to 10,000. */
                limit?: number;
                /** @description CSV: whether to prefix cells that a spreadsheet would run as formulas with an apostrophe. */
                escape_formulas?: boolean;
                /** @description CSV: separator of cells: `,` `;` `|` or `tab`. */
                delimiter?: string;
                /** @description CSV: whether to begin with a byte-order mark, by which Excel recognizes UTF-8. */
                bom?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusReportAnswer"];
                    "text/csv": string;
                    "application/jsonl": string;
                };
            };
        };
    };
    coverageReport: {
        parameters: {
            query?: {
                /** @description UUIDs of stores, at most 100: repeat the parameter or separate them by commas. Default: all accessible stores; an error if there are more than 100. */
                store_uuids?: string[];
                /** @description Maximum number of rows; values above 10,000 are clamped to 10,000. */
                limit?: number;
                /** @description CSV: whether to prefix cells that a spreadsheet would run as formulas with an apostrophe. */
                escape_formulas?: boolean;
                /** @description CSV: separator of cells: `,` `;` `|` or `tab`. */
                delimiter?: string;
                /** @description CSV: whether to begin with a byte-order mark, by which Excel recognizes UTF-8. */
                bom?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CoverageReportAnswer"];
                    "text/csv": string;
                    "application/jsonl": string;
                };
            };
        };
    };
    changeReport: {
        parameters: {
            query?: {
                /** @description UUIDs of stores, at most 100: repeat the parameter or separate them by commas. Default: all accessible stores; an error if there are more than 100. */
                store_uuids?: string[];
                /** @description Maximum number of rows; values above 10,000 are clamped to 10,000. */
                limit?: number;
                /** @description CSV: whether to prefix cells that a spreadsheet would run as formulas with an apostrophe. */
                escape_formulas?: boolean;
                /** @description CSV: separator of cells: `,` `;` `|` or `tab`. */
                delimiter?: string;
                /** @description CSV: whether to begin with a byte-order mark, by which Excel recognizes UTF-8. */
                bom?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeReportAnswer"];
                    "text/csv": string;
                    "application/jsonl": string;
                };
            };
        };
    };
    jobReport: {
        parameters: {
            query?: {
                /** @description UUIDs of stores, at most 100: repeat the parameter or separate them by commas. Default: all accessible stores; an error if there are more than 100. */
                store_uuids?: string[];
                /** @description Maximum number of rows; values above 10,000 are clamped to 10,000. */
                limit?: number;
                /** @description CSV: whether to prefix cells that a spreadsheet would run as formulas with an apostrophe. */
                escape_formulas?: boolean;
                /** @description CSV: separator of cells: `,` `;` `|` or `tab`. */
                delimiter?: string;
                /** @description CSV: whether to begin with a byte-order mark, by which Excel recognizes UTF-8. */
                bom?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobReportAnswer"];
                    "text/csv": string;
                    "application/jsonl": string;
                };
            };
        };
    };
    failureReport: {
        parameters: {
            query?: {
                /** @description UUIDs of stores, at most 100: repeat the parameter or separate them by commas. Default: all accessible stores; an error if there are more than 100. */
                store_uuids?: string[];
                /** @description Maximum number of rows; values above 10,000 are clamped to 10,000. */
                limit?: number;
                /** @description CSV: whether to prefix cells that a spreadsheet would run as formulas with an apostrophe. */
                escape_formulas?: boolean;
                /** @description CSV: separator of cells: `,` `;` `|` or `tab`. */
                delimiter?: string;
                /** @description CSV: whether to begin with a byte-order mark, by which Excel recognizes UTF-8. */
                bom?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FailureReportAnswer"];
                    "text/csv": string;
                    "application/jsonl": string;
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query: {
                /** @description UUID of the store, case-insensitive. */
                store_uuid: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhooksAnswer"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query: {
                /** @description UUID of the store, case-insensitive. */
                store_uuid: string;
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateWebhookAnswer"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetWebhookAnswer"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: {
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteWebhookAnswer"];
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: {
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateWebhookAnswer"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: {
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotateWebhookSecretAnswer"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: {
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestWebhookAnswer"];
                };
            };
        };
    };
    replayWebhook: {
        parameters: {
            query: {
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
                /** @description Cursor of the feed, or a time as RFC 3339. */
                from: string;
            };
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayWebhookAnswer"];
                };
            };
        };
    };
    retryWebhook: {
        parameters: {
            query?: {
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetryWebhookAnswer"];
                };
            };
        };
    };
    skipWebhookEvent: {
        parameters: {
            query?: {
                /** @description Dry run: return the same answer and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkipWebhookEventAnswer"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Page size in attempts; values above 100 are clamped to 100. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhookDeliveriesAnswer"];
                };
            };
        };
    };
}
