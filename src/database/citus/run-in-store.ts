import { namesOf } from '../registry/table-registry.ts'

/** A statement of one store that inserts in a CTE: Citus would copy what it inserts to all servers. */
const insertsInCte = /^\s*with\b.*\binsert into \w+(?: as \w+)? \([^()]*\)\s*select\b/is
/** Its statements would be sent one by one. Its second parameter has the locks. */
const writesProducts = /\bfrom write_products\(/

const local = namesOf(({ placement }) => placement === 'local')
const known = [...namesOf(({ placement }) => placement === 'distributed'), ...local]

/** The parameters for a store. Others may look like one: the channel of a request may be a UUID. */
const ofStore = /\b(?:store_uuid = |store_uuid, [^()]*\)\s*select (?:distinct )?|write_products\()\$(\d+)/g
const literalOrComment = /('[^']*'|--[^\n]*|\/\*[\s\S]*?\*\/)/
const tableName = /\b(from|join|into|update)(\s+)(\w+)\b/gi
const anyTable = new RegExp(`\\b(${known.join('|')})\\b`, 'i')
/** Functions insert there (`record_change`, `mark_products`): a shard has no defaults from the coordinator. */
const numberedInsert = /\binsert into (?:change|product_dirty)\b/gi

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The store of a statement: the parameter that it compares with `store_uuid` or inserts there, or the first UUID. */
export function storeOf(text: string, values: readonly unknown[]): string | undefined {
  const [named] = text.matchAll(ofStore)
  const possible = named ? [values[Number(named[1]) - 1]] : values
  return possible.find((value) => typeof value === 'string' && uuid.test(value)) as string | undefined
}

/**
 * A call of `run_in_store` for a statement that the server of its store runs as a whole; undefined if the coordinator
 * runs it. PostgreSQL makes its parameters texts and each row JSON: a bigint is then a number, and a time a text. The
 * statement must return rows. Throws if it names a second store, names tables in other ways than these patterns, or has
 * bytes as a parameter.
 */
export function runInStore(
  store: string,
  text: string,
  values: readonly unknown[],
): { text: string; values: unknown[] } | undefined {
  const isWrite = writesProducts.test(text)
  if (!isWrite && !insertsInCte.test(text)) return undefined
  const tables: string[] = []
  const faults: string[] = []
  const onShards = (code: string) => {
    const rewritten = code.replace(/\$(\d+)/g, '%$1$L').replace(tableName, (found, word, space, name) => {
      if (!known.includes(name)) return found
      if (!tables.includes(name)) tables.push(name)
      return `${word}${space}%${values.length + 1 + tables.indexOf(name)}$I`
    })
    faults.push(...(code.match(numberedInsert) ?? []), ...(anyTable.exec(rewritten)?.slice(1) ?? []))
    return rewritten
  }
  const parts = text.replaceAll('%', '%%').split(literalOrComment)
  const statement = parts.map((part, i) => (i % 2 === 0 ? onShards(part) : part)).join('')
  if (tables.some((name) => local.includes(name))) return undefined
  if (values.some(Buffer.isBuffer)) faults.push('bytes')
  for (const [found, nth] of text.matchAll(ofStore)) if (values[Number(nth) - 1] !== store) faults.push(found)
  if (faults.length > 0) throw new Error(`the server of a store cannot run ${faults.join(', ')} in: ${text}`)
  const parameters = values.map((_, i) => `$${i + 5}::text`).join(', ')
  return {
    text: `select answer from run_in_store($1::uuid, $2, $3::text[], array[${parameters}]::text[], $4::jsonb) answer`,
    // What writes products takes no locks if it gets none.
    values: [store, statement, tables, isWrite ? values[1] : null, ...(isWrite ? values.with(1, null) : values)],
  }
}
