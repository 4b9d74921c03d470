import { type Command, InvalidArgumentError } from 'commander'
import type { Kysely } from 'kysely'
import type { Database } from '../database/tables.ts'
import { invalidRequest, storeNotFound } from '../errors.ts'
import { shown, storeUuidOf } from '../text.ts'

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d{1,9}$/.test(text) && number >= least && number <= most) return number
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }
}

/** The option with which a command prints its result for programs: `printResult`. */
export const jsonFlag = ['--json', 'print one JSON object on stdout', false] as const

/** The option of a list that has more columns than fit into 80 characters: `listOf`. */
export const wideFlag = ['--wide', 'print all columns, in full', false] as const

/** Adds the option `--store`, whose value `findStoreUuid` reads. */
export function storeOption(command: Command): Command {
  return command.requiredOption('--store <store>', 'the store: its UUID, or its name if no other store has it')
}

/** The UUID of a store given by its UUID or by a name that no other store has. Throws a CatalogueError. */
export async function findStoreUuid(db: Kysely<Database>, given: string): Promise<string> {
  const uuid = storeUuidOf(given)
  if (uuid !== undefined) return uuid
  const named = db.selectFrom('store').select('store_uuid').where('store_name', '=', given)
  const [first, ...others] = await named.orderBy('store_uuid').limit(3).execute()
  if (!first) throw storeNotFound('store', given)
  if (others.length === 0) return first.store_uuid
  const some = [first, ...others].map(({ store_uuid }) => store_uuid).join(', ')
  throw invalidRequest(`several stores have the name ${shown(given)}: give the UUID of one, such as ${some}`)
}

/** The values of an option that may be repeated. */
export function collect(value: string, before: string[]): string[] {
  return [...before, value]
}
