import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'
import { CatalogueError, invalidRequest } from '../../errors.ts'
import { longAnswerFault } from '../../request/read-bytes.ts'
import type { Context } from '../context.ts'

/** The bytes of an answer. */
export const maxAnswerBytes = 16 * 1024 * 1024

/** Adds a result to the request's answer. Throws `payload_too_large`, within the transaction, if that is too long. */
export function requireAnswerable(result: unknown, { answer }: Context, info: GraphQLResolveInfo): void {
  answer.bytes += Buffer.byteLength(JSON.stringify(result ?? null)) * copiesOf(info)
  if (answer.bytes > maxAnswerBytes) throw answerTooLong()
}

/** The same for a payload that reads: its data has the results and what is read for them. */
export function requireAnswerableData(data: unknown): void {
  if (isLonger(data, maxAnswerBytes)) throw answerTooLong()
}

function answerTooLong(): CatalogueError {
  const details = `the answer to a write may have ${maxAnswerBytes} bytes; this one would have more, and nothing was written: send fewer items, or select each field once`
  return new CatalogueError('payload_too_large', details)
}

/** Throws `invalid_request` if the data of a read is too long. Fields may repeat what was read once. */
export function requireShort(data: unknown): void {
  if (isLonger(data, maxAnswerBytes)) throw invalidRequest(longAnswerFault(maxAnswerBytes, 'more'))
}

/** A character of a string takes at most six bytes of JSON, such as `\u0001`; any other value about 30. */
const [maxBytesOfCharacter, maxBytesOfValue] = [6, 30]

/** Whether a value takes more than `max` bytes as JSON. The bytes of strings are counted only if they may decide. */
function isLonger(value: unknown, max: number): boolean {
  const exceeds = (most: number, bytesOf: (text: string) => number) => mayExceed(value, most, bytesOf)
  return exceeds(max, (text) => text.length * maxBytesOfCharacter) && exceeds(max, bytesOfJson)
}

const bytesOfJson = (text: string) => Buffer.byteLength(JSON.stringify(text))

/** What comes after the maximum is not visited. */
function mayExceed(value: unknown, max: number, bytesOf: (text: string) => number): boolean {
  let left = max
  const visit = (part: unknown): void => {
    if (typeof part === 'string') left -= bytesOf(part)
    else if (Array.isArray(part)) {
      for (let i = 0; i < part.length && left >= 0; i++) {
        left -= 3
        visit(part[i])
      }
    } else if (typeof part === 'object' && !(part instanceof Date)) {
      for (const key in part) {
        left -= key.length + 6
        visit((part as Record<string, unknown>)[key])
        if (left < 0) return
      }
    } else left -= maxBytesOfValue
  }
  visit(value)
  return left < 0
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
