import { Command } from 'commander'
import { isEnumType, isInputObjectType } from 'graphql'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { imports } from '../../rest/imports.ts'
import { schema } from '../../schema/index.ts'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { addImport } from '../../src/cli/commands/import.ts'

/** What has no meaning over HTTP, or for a text. */
const ofCommandLine = ['store', 'errors', 'resume', 'chunkRows', 'json']
const ofFiles = ['encoding', 'sheet']

const program = new Command()
addImport(program)
const flags = program.commands[0]?.options ?? []
const input = schema.getType('ImportInput')
const fields = isInputObjectType(input) ? input.getFields() : {}
const shape: Record<string, unknown> = imports[0]?.shapes(fallbackEnumerations).query.shape ?? {}

const camelCased = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const sorted = (names: string[]) => names.toSorted()

it('an import has the same options on the command line, over REST and in GraphQL', () => {
  const names = flags.map((flag) => flag.attributeName()).filter((name) => !ofCommandLine.includes(name))
  const overRest = Object.keys(shape).filter((name) => name !== 'store_uuid')
  expect(sorted(overRest.map(camelCased))).toEqual(sorted(names))
  expect(sorted([...Object.keys(fields).filter((name) => name !== 'content'), ...ofFiles])).toEqual(sorted(names))
})

it('options have the same values on the command line, over REST and in GraphQL', () => {
  for (const flag of flags.filter(({ argChoices }) => argChoices)) {
    const name = flag.attributeName()
    const { enum: values } = z.toJSONSchema(shape[name] as z.ZodType, { io: 'input' }) as { enum?: string[] }
    expect(sorted(values ?? []), name).toEqual(sorted(flag.argChoices ?? []))
    const type = fields[name]?.type
    const inGraphQL = isEnumType(type) ? type.getValues().map(({ value }): string => value) : undefined
    expect(sorted(inGraphQL ?? values ?? []), name).toEqual(sorted(flag.argChoices ?? []))
  }
})
