import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'
import { CatalogueError } from '../../errors.ts'
import type { Context } from '../context.ts'

const maxBytes = 64 * 1024 * 1024

/** Adds a result to the request's answer. Throws `payload_too_large`, within the transaction, if that is too long. */
export function requireAnswerable(result: unknown, { answer }: Context, info: GraphQLResolveInfo): void {
  answer.bytes += bytesOf(result) * copiesOf(info)
  requireShort(answer.bytes)
}

export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value ?? null))
}

export function requireShort(bytes: number): void {
  if (bytes <= maxBytes) return
  const details = `the answer to a write may have ${maxBytes} bytes; this one would have ${bytes}, and nothing was written: send fewer items, or select each field once`
  throw new CatalogueError('payload_too_large', details)
}

/** Whether the answer has one result and each field of it once. */
export function isSelectedOnce(info: GraphQLResolveInfo): boolean {
  const { selections } = info.operation.selectionSet
  return selections.length === 1 && selections[0]?.kind === Kind.FIELD && copiesOf(info) === 1
}

/** The maximum number of times that one field is in the answer, under several aliases. */
function copiesOf(info: GraphQLResolveInfo): number {
  return Math.max(1, ...countsOf(info).values())
}

/** Whether a field of this name is selected in the answer, at any level. */
export function isSelected(info: GraphQLResolveInfo, name: string): boolean {
  return countsOf(info).has(name)
}

function countsOf({ fieldNodes, fragments }: GraphQLResolveInfo): Map<string, number> {
  const counts = new Map<string, number>()
  const count = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD
      if (selection.kind === Kind.FIELD) counts.set(selection.name.value, (counts.get(selection.name.value) ?? 0) + 1)
      const within = isSpread ? fragments[selection.name.value]?.selectionSet : selection.selectionSet
      if (within) count(within)
    }
  }
  for (const { selectionSet } of fieldNodes) if (selectionSet) count(selectionSet)
  return counts
}
