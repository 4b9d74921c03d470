import { z } from 'zod'

export type Json = Record<string, unknown>

export type Schemas = ReturnType<typeof collectSchemas>

/** Turns zod shapes into the schemas of OpenAPI 3.1, which are JSON Schema. */
export function collectSchemas() {
  const components: Record<string, Json> = {}
  /** The schema of a shape's input. Shapes with an id become components. */
  const of = (shape: z.ZodType): Json => {
    const options = { io: 'input', unrepresentable: 'any', override } as const
    const { $schema: _, $defs = {}, ...schema } = z.toJSONSchema(shape, options)
    for (const [id, definition] of Object.entries($defs))
      components[id] = withComponentRefs({ ...definition, id: undefined })
    return withComponentRefs(schema)
  }
  const named = (name: string, shape: z.ZodType) => {
    components[name] = of(shape)
    return { $ref: `#/components/schemas/${name}` }
  }
  return { of, named, components }
}

/** Removes the bounds of JavaScript's integers and that keys are strings; adds the default of what is transformed. */
const override: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema }) => {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.type === 'object') delete jsonSchema.propertyNames
  if (zodSchema instanceof z.ZodDefault) jsonSchema.default = zodSchema.def.defaultValue
}

/** Replaces references to the schema's own definitions by references to the components. */
function withComponentRefs(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
}
