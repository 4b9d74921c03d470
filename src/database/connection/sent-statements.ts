import { channel } from 'node:diagnostics_channel'

/** Publishes the text of each statement that this thread sends: tests subscribe to it. */
export const sentStatements = channel('catalogue.statement')
