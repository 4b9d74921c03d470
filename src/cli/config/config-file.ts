import { LineCounter, parseDocument, stringify } from 'yaml'
import { z } from 'zod'
import { requirementKinds, severities } from '../../catalogue/readiness/requirements.ts'
import { invalidRequest } from '../../errors.ts'
import { scopes } from '../../request/caller.ts'
import { shown, valueAt } from '../../text.ts'

const lower = <Name extends string>(names: readonly Name[]) =>
  names.map((name) => name.toLowerCase() as Lowercase<Name>)
const oneOf = <Name extends string>(names: readonly Name[]) => z.enum(names, `must be one of ${names.join(', ')}`)
const text = z.string('must be a text')
const texts = z.array(text, 'must be a list of texts')
const names = texts.readonly().optional()
const whole = z.int('must be a whole number')

const attribute = z.strictObject(
  {
    name: text,
    type: oneOf(['text', 'number', 'boolean', 'date', 'url', 'enum']),
    allowedValues: texts.optional(),
    maxLength: whole.optional(),
    pattern: text.optional(),
    filterable: z.literal(true, 'must be true, or left out').optional(),
    searchable: z.literal(true, 'must be true, or left out').optional(),
  },
  'must be a map',
)

const attributes = z.array(attribute, 'must be a list').superRefine((list, context) => {
  const seen = new Set<string>()
  for (const [index, { name }] of list.entries()) {
    if (seen.has(name))
      context.addIssue({ code: 'custom', path: [index, 'name'], message: 'must come once in the list' })
    seen.add(name)
  }
})

const requirement = z.strictObject(
  {
    code: text,
    kind: oneOf(lower(requirementKinds)),
    attribute: text.optional(),
    assetFormat: text.optional(),
    minimum: whole.optional(),
    pattern: text.optional(),
    severity: oneOf(lower(severities)).optional(),
    whenAttribute: text.optional(),
    whenValues: texts.optional(),
  },
  'must be a map',
)

const token = z.strictObject(
  { name: text, scopes: z.array(oneOf(scopes), 'must be a list of scopes') },
  'must be a map',
)

const webhook = z.strictObject(
  {
    url: text,
    filter: z
      .strictObject(
        { types: names, operations: names, attributes: names, channels: names, codePrefix: text.optional() },
        'must be a map',
      )
      .optional(),
  },
  'must be a map',
)

/** A section that is left out is not managed by the file. */
const configFile = z.strictObject(
  {
    attributes: attributes.optional(),
    requirements: z.record(text, z.array(requirement, 'must be a list'), 'must map channels to lists').optional(),
    tokens: z.array(token, 'must be a list').optional(),
    webhooks: z.array(webhook, 'must be a list').optional(),
  },
  'must be a map',
)

export type ConfigFile = z.output<typeof configFile>

export function writeConfigFile(config: ConfigFile): string {
  return stringify(config, { lineWidth: 0 })
}

/** Reads a configuration. Throws `invalid_request` with every fault and its place in the file. */
export function readConfigFile(source: string, path: string): ConfigFile {
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const placed = (offset: number | undefined, details: string) => {
    const { line, col } = lines.linePos(offset ?? 0)
    return { details: `${path}:${line}:${col}: ${details}` }
  }
  if (document.errors.length > 0)
    throw invalidRequest(document.errors.map(({ pos, message }) => placed(pos[0], message)))
  const value = plain(
    () => document.toJS() ?? {},
    (problem) => placed(0, problem),
  )
  const { data, error } = configFile.safeParse(value)
  if (data) return data
  const at = (keys: readonly PropertyKey[]) =>
    (document.getIn(keys, true) as { range?: [number] } | undefined)?.range?.[0]
  const faults = error.issues.flatMap(({ path: keys, message, ...issue }) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => placed(at([...keys, key]), `${z.core.toDotPath([...keys, key])} is not known`))
    }
    const place = at(keys) ?? at(keys.slice(0, -1))
    return placed(place, `${z.core.toDotPath(keys) || 'the file'} ${message}; got ${shown(valueAt(value, keys))}`)
  })
  throw invalidRequest(faults)
}

/** The value of a document. A few lines of aliases can stand for any number of values. */
function plain(read: () => unknown, placed: (problem: string) => { details: string }): unknown {
  try {
    return read()
  } catch (error) {
    throw invalidRequest([placed((error as Error).message)])
  }
}
