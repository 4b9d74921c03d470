/** The slot of `product_key` that has the statuses of products, in a store with an indexed attribute. */
export const statusSlot = 0

/** `value_count` cuts values to this length (product-values.sql). */
export const countedCharacters = 255
/** The values of an attribute are counted while they are at most so many (product-values.sql). */
export const maxCounted = 5_000
