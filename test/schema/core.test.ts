import { readFileSync } from 'node:fs'
import {
  type ASTNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  parse,
  print,
  printSchema,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'

describe('the schema', () => {
  it('has all of the core, with the same types and defaults', () => {
    expect(differencesFromCore(readFileSync(new URL('./core.graphql', import.meta.url), 'utf8'))).toEqual([])
  })
})

/** What of the core the schema lacks or has otherwise, and what it demands beyond the core. */
function differencesFromCore(core: string): string[] {
  const differences: string[] = []
  const compare = (expected: Map<string, Member>, actual: Map<string, Member>, where: string, mayDemand: boolean) => {
    for (const [name, { is, members, isInput }] of expected) {
      const found = actual.get(name)
      if (!found) differences.push(`${where}${name} is missing`)
      else if (found.is !== is) differences.push(`${where}${name} is ${found.is}, not ${is}`)
      else compare(members, found.members, `${where}${name}.`, !isInput)
    }
    for (const [name, { isRequired }] of actual) {
      if (!expected.has(name) && isRequired && !mayDemand) differences.push(`${where}${name} is demanded`)
    }
  }
  compare(membersOf(parse(core).definitions), membersOf(parse(printSchema(schema)).definitions), '', true)
  return differences
}

/** A type, field, argument or value as its text, and what it consists of. */
interface Member {
  is: string
  members: Map<string, Member>
  /** Whether what it consists of is given by the caller. */
  isInput: boolean
  /** Whether a caller has to give it. */
  isRequired: boolean
}

type Node = Partial<Pick<FieldDefinitionNode, 'name' | 'type' | 'arguments'>> &
  Partial<Pick<InputValueDefinitionNode, 'defaultValue'>> & { kind: string; fields?: unknown; values?: unknown }

function membersOf(nodes: readonly ASTNode[]): Map<string, Member> {
  return new Map(
    nodes.map((node) => {
      const { kind, name, type, defaultValue, arguments: args, fields, values } = node as Node
      const of = type ? `${print(type)}${defaultValue ? ` = ${print(defaultValue)}` : ''}` : kind
      const members = [args, fields, values].flatMap((list) => (Array.isArray(list) ? (list as ASTNode[]) : []))
      const member = {
        is: of,
        members: membersOf(members),
        isInput: kind === 'InputObjectTypeDefinition' || kind === 'FieldDefinition',
        isRequired: type?.kind === 'NonNullType' && !defaultValue,
      }
      return [name?.value ?? '', member]
    }),
  )
}
