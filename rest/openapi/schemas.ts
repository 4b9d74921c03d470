import { z } from 'zod'

/** A JSON Schema or another part of the document. */
export type Json = Record<string, unknown>

/** Collects the named schemas of a document while the document is built. */
export interface Schemas {
  /** The schema of a shape's input. Shapes with an id become components. */
  of(shape: z.ZodType): Json
  /** Adds the schema as a component of this name and returns a reference to it. */
  named(name: string, shape: z.ZodType): Json
  components: Record<string, Json>
}

/** Turns zod shapes into the schemas of OpenAPI 3.1, which are JSON Schema. */
export function collectSchemas(): Schemas {
  const components: Record<string, Json> = {}
  const of = (shape: z.ZodType): Json => {
    const {
      $schema: _,
      $defs = {},
      ...schema
    } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any', override })
    for (const [id, definition] of Object.entries($defs)) components[id] = pointed({ ...definition, id: undefined })
    return pointed(schema)
  }
  const named = (name: string, shape: z.ZodType) => {
    components[name] = of(shape)
    return { $ref: `#/components/schemas/${name}` }
  }
  return { of, named, components }
}

/** Removes what zod adds and a reader does not need: the bounds of JavaScript's integers, and that keys are strings. */
function override({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.type === 'object') delete jsonSchema.propertyNames
}

/** Replaces references to the schema's own definitions by references to the components. */
function pointed(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
}
