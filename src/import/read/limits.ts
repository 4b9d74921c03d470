/** The longest row that is read, in bytes: in a longer one a quote or bracket was probably never closed. */
export const maxRowLength = 10 * 1024 * 1024

/** Work on a row must not take long: these bound it. Items of lists are values too. */
export const maxColumns = 5_000
export const maxValues = 100_000
/** How deep lists and objects of a row may be within each other, so that all threads can write it as JSON. */
export const maxLevels = 1_000
export const maxUrls = 10_000
/** The name of an attribute, with the prefix that an export may add. */
export const maxColumnLength = 300
