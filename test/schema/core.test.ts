import { readFileSync } from 'node:fs'
import {
  type ASTNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  parse,
  print,
  printSchema,
} from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'

it('the schema has all of the core, with the same types and defaults', () => {
  const core = readFileSync(new URL('./core.graphql', import.meta.url), 'utf8')
  const actual = new Set(membersOf(parse(printSchema(schema)).definitions))
  // What it demands beyond the core is a breaking change: see GRAPHQL-01.
  expect(membersOf(parse(core).definitions).filter((member) => !actual.has(member))).toEqual([])
})

type Node = Partial<Pick<FieldDefinitionNode, 'name' | 'type' | 'arguments'>> &
  Partial<Pick<InputValueDefinitionNode, 'defaultValue'>> & { kind: string; fields?: unknown; values?: unknown }

/** Each type, field, argument and value by its path, with its type and default. */
function membersOf(nodes: readonly ASTNode[], path = ''): string[] {
  return nodes.flatMap((node) => {
    const { kind, name, type, defaultValue, arguments: args, fields, values } = node as Node
    const own = `${path}${name?.value}`
    const is = type ? `${print(type)}${defaultValue ? ` = ${print(defaultValue)}` : ''}` : kind
    const members = [args, fields, values].flatMap((list) => (Array.isArray(list) ? (list as ASTNode[]) : []))
    return [`${own}: ${is}`, ...membersOf(members, `${own}.`)]
  })
}
