import { readFileSync } from 'node:fs'
import { loadModule, parsePlPgSQLSync, parseSync } from 'libpg-query'
import type pg from 'pg'
import { namesOf as namesOfTables } from '../../../src/database/registry/table-registry.ts'

/** Tables that a database on several servers spreads by `store_uuid`, and others with stores. */
export const tables = {
  distributed: namesOfTables(({ placement }) => placement === 'distributed'),
  local: [...namesOfTables(({ placement, withoutPolicy }) => placement === 'local' && !withoutPolicy), 'report_user'],
}

const coordinatorTables = namesOfTables(({ placement }) => placement === 'local')

/** How functions are declared, by name; `to_timestamp` of a number. */
type Volatility = ReadonlyMap<string, { isVolatile: boolean; isImmutable: boolean }>

type Tree = { readonly [key: string]: unknown }

export async function readVolatility(client: pg.Client): Promise<Volatility> {
  const { rows } = await client.query(`
    select proname as name, bool_or(provolatile = 'v') as "isVolatile", bool_and(provolatile = 'i') as "isImmutable"
    from pg_proc where oid <> 'to_timestamp(text, text)'::regprocedure group by proname`)
  return new Map(rows.map(({ name, ...declared }) => [name, declared]))
}

/** What keeps such a database from running a statement. `constants`: names that stand for values. */
export async function violationsOf(
  text: string,
  volatility: Volatility,
  constants: readonly string[] = [],
): Promise<string[]> {
  await loadModule()
  const tree: unknown = parseSync(text)
  const ctes = new Set(nodesOf(tree, 'CommonTableExpr').map(({ ctename }) => ctename))
  const of = (type: string, tree: unknown) => nodesOf(tree, type)
  const isValue = (tree: unknown): boolean => {
    const { ParamRef, TypeCast, ColumnRef } = (tree ?? {}) as Record<string, Tree | undefined>
    if (TypeCast) return isValue(TypeCast.arg)
    return ParamRef !== undefined || (ColumnRef !== undefined && constants.includes(fieldsOf(ColumnRef).join('.')))
  }
  const functions = (tree: unknown) => [
    ...of('FuncCall', tree).map(({ funcname }) => namesOf(funcname).at(-1) ?? ''),
    ...of('SQLValueFunction', tree).map(() => 'now'),
  ]
  const isAmong = (names: readonly string[]) => (table: Tree) => {
    const name = String(table.relname)
    return table.schemaname === undefined && !ctes.has(name) && names.includes(name)
  }
  const isDistributed = isAmong(tables.distributed)
  const isLocal = isAmong(coordinatorTables)
  const isShared = isAmong(Object.values(tables).flat())
  const written = ['InsertStmt', 'UpdateStmt', 'DeleteStmt'].flatMap((type) => of(type, tree))
  const inAll = of('RangeVar', tree).concat(written.map(({ relation }) => relation as Tree))
  const hasDistributed = inAll.some(({ relname }) => tables.distributed.includes(String(relname)) && !ctes.has(relname))
  const found: string[] = []
  // The lock of migrations has one number.
  const locks = of('FuncCall', tree).some(
    ({ funcname, args }) => namesOf(funcname).at(-1)?.includes('advisory_xact') && (args as unknown[]).length === 2,
  )
  if (locks && !hasDistributed) found.push('a lock is not taken on the server of a store')

  // Citus runs a CTE on its own.
  for (const query of [tree, ...of('CommonTableExpr', tree).map(({ ctequery }) => ctequery)]) {
    const joined = nodesOf(query, 'RangeVar', 'withClause')
    const local = joined.find(isLocal)
    if (local && joined.some(isDistributed)) found.push(`${local.relname} is not on the server of a store`)
  }
  // `larg` and `rarg` are the sides of a union.
  for (const type of hasDistributed ? ['SelectStmt', 'larg', 'rarg', 'UpdateStmt', 'DeleteStmt'] : []) {
    for (const { fromClause, usingClause, relation, whereClause } of of(type, tree)) {
      const joined: Tree[] = relation ? [relation as Tree] : []
      const conditions = [whereClause]
      const join = (item: Tree): void => {
        if (item.RangeVar) joined.push(item.RangeVar as Tree)
        const { larg, rarg, quals } = (item.JoinExpr ?? {}) as Tree
        if (item.JoinExpr) conditions.push(quals)
        for (const side of [larg, rarg]) if (side) join(side as Tree)
      }
      for (const item of [fromClause ?? [], usingClause ?? []].flat()) join(item as Tree)
      const named = conditions.flatMap(conjuncts).flatMap((condition) => storesIn(condition, isValue))
      for (const table of joined.filter(isDistributed)) {
        const alias = String((table.alias as Tree | undefined)?.aliasname ?? table.relname)
        const isAlone = joined.filter(isDistributed).length === 1
        if (!named.includes(`${alias}.store_uuid`) && !(isAlone && named.includes('store_uuid')))
          found.push(`${alias} has no store_uuid = $n of its own`)
      }
    }
  }
  for (const { relation, cols, selectStmt, onConflictClause } of of('InsertStmt', tree)) {
    if (!isDistributed(relation as Tree)) continue
    const { SelectStmt } = selectStmt as { SelectStmt: Tree }
    const at = (cols as { ResTarget: Tree }[]).findIndex(({ ResTarget }) => ResTarget.name === 'store_uuid')
    const rows = (SelectStmt.valuesLists as { List: { items: unknown[] } }[] | undefined)?.map(({ List }) => List.items)
    const values = rows ?? [(SelectStmt.targetList as { ResTarget: Tree }[]).map(({ ResTarget }) => ResTarget.val)]
    if (!values.every((row) => isValue(row[at]))) found.push('the inserted store_uuid is no $n')
    for (const name of functions(SelectStmt))
      if (volatility.get(name)?.isVolatile) found.push(`${name} in insert … select is volatile`)
    for (const name of functions(onConflictClause))
      if (!volatility.get(name)?.isImmutable) found.push(`${name} in do update is not immutable`)
  }
  for (const type of ['UpdateStmt', 'DeleteStmt']) {
    for (const { relation, targetList, whereClause } of of(type, tree)) {
      if (!isShared(relation as Tree)) continue
      const cases = ['CaseExpr', 'CoalesceExpr'].flatMap((kind) =>
        nodesOf([targetList, whereClause], kind, 'SelectStmt'),
      )
      for (const name of functions(cases))
        if (!volatility.get(name)?.isImmutable) found.push(`${name} in case or coalesce is not immutable`)
      if (of('CaseExpr', [targetList, whereClause]).some(({ arg }) => arg)) found.push('a case of a value in an update')
    }
  }
  return found
}

/** The functions in a file, with their statements. */
export async function functionsOf(file: URL): Promise<{ name: string; statements: string[] }[]> {
  await loadModule()
  const text = readFileSync(file, 'utf8')
  const { stmts } = parseSync(text) as unknown as { stmts: { stmt: Tree; stmt_location?: number; stmt_len?: number }[] }
  const bytes = Buffer.from(text)
  return stmts.flatMap(({ stmt, stmt_location: from = 0, stmt_len: length = 0 }) => {
    const { CreateFunctionStmt } = stmt as { CreateFunctionStmt?: Tree }
    if (!CreateFunctionStmt) return []
    const source = bytes.subarray(from, from + length).toString()
    return [{ name: namesOf(CreateFunctionStmt.funcname).at(-1) ?? '', statements: bodyOf(CreateFunctionStmt, source) }]
  })
}

function bodyOf(declared: Tree, source: string): string[] {
  const options = nodesOf(declared.options, 'DefElem')
  const optionOf = (name: string) => options.find(({ defname }) => defname === name)?.arg as Tree | undefined
  if ((optionOf('language')?.String as Tree)?.sval === 'sql')
    return namesOf((optionOf('as')?.List as Tree | undefined)?.items)
  const { plpgsql_funcs } = parsePlPgSQLSync(source) as unknown as Tree
  const expressions = nodesOf(plpgsql_funcs, 'PLpgSQL_expr')
  return expressions.flatMap(({ query, parseMode }) => (parseMode === 0 ? [String(query)] : []))
}

/** All nodes of a type, but for those below a node of the type `outside`. */
function nodesOf(tree: unknown, type: string, outside?: string): Tree[] {
  if (Array.isArray(tree)) return tree.flatMap((item) => nodesOf(item, type, outside))
  if (tree === null || typeof tree !== 'object') return []
  return Object.entries(tree).flatMap(([key, value]) => {
    if (key === outside) return []
    return [...(key === type ? [value as Tree] : []), ...nodesOf(value, type, outside)]
  })
}

function conjuncts(condition: unknown): Tree[] {
  const { BoolExpr } = (condition ?? {}) as { BoolExpr?: { boolop: string; args: unknown[] } }
  if (BoolExpr?.boolop === 'AND_EXPR') return BoolExpr.args.flatMap(conjuncts)
  return condition ? [condition as Tree] : []
}

/** The column that the condition sets equal to a value. */
function storesIn({ A_Expr }: Tree, isValue: (tree: unknown) => boolean): string[] {
  const { kind, name, lexpr, rexpr } = (A_Expr ?? {}) as Tree
  const { ColumnRef } = (lexpr ?? {}) as { ColumnRef?: Tree }
  return kind === 'AEXPR_OP' && namesOf(name).join() === '=' && ColumnRef && isValue(rexpr)
    ? [fieldsOf(ColumnRef).join('.')]
    : []
}

function fieldsOf({ fields }: Tree): string[] {
  return namesOf(fields)
}

function namesOf(strings: unknown): string[] {
  return ((strings ?? []) as { String?: { sval?: string } }[]).map((item) => item.String?.sval ?? '*')
}
