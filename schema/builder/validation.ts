import { BasePlugin, type PothosInputFieldConfig, type PothosInputFieldType, type SchemaTypes } from '@pothos/core'
import { z } from 'zod'
import { CatalogueError, type Fault } from '../../src/errors.ts'
import { maxItems } from '../../src/request/json-shape.ts'
import { isStorable, shown, valueAt } from '../../src/text.ts'

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      defaultValidation: DefaultValidation<Types>
    }
  }
}

/** Marks an argument, input field or input type whose strings are only looked up, or validated by the catalogue. */
export const anyText = { extensions: { anyText: true } }

const storable = {
  schema: z.string().refine(isStorable, { error: 'must be a string without NUL and lone surrogates' }),
}

/** Adds the validation of their type to arguments and input fields without `validate`. */
export class DefaultValidation<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onInputFieldConfig(config: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> {
    const owner = config.kind === 'Arg' ? config : this.buildCache.getTypeConfig(config.parentType)
    const takesAnyText = config.extensions?.anyText || owner.extensions?.anyText
    const stated = (config.pothosOptions as { validate?: unknown }).validate
    const validate = stated ?? this.validationOf(config.type, takesAnyText ? undefined : storable)
    return validate ? { ...config, pothosOptions: { ...config.pothosOptions, validate } } : config
  }

  private validationOf(type: PothosInputFieldType<Types>, ofText: object | undefined): object | undefined {
    if (type.kind === 'List') {
      const items = this.validationOf(type.type, ofText)
      return { maxLength: maxItems, ...(items && { items }) }
    }
    const { name } = this.buildCache.getTypeConfig(type.ref)
    return name === 'String' || name === 'ID' ? ofText : undefined
  }
}

/** Turns what zod found in a field's arguments into the API's own error, with one fault for each issue. */
export function validationError(error: z.ZodError, args: Record<string, unknown>): CatalogueError {
  const faults = error.issues.map((issue) => faultOf(issue, args))
  return new CatalogueError(faults[0]?.reason ?? 'invalid_request', faults)
}

function faultOf(issue: z.core.$ZodIssue, args: Record<string, unknown>): Fault {
  const field = z.core.toDotPath(issue.path)
  const value = valueAt(args, issue.path)
  const index = issue.path.find((key) => typeof key === 'number')
  const at = { field, ...(index === undefined ? {} : { index }) }
  if (issue.code === 'too_big' && Array.isArray(value)) {
    const details = `${field} must have at most ${issue.maximum} items; got ${value.length}`
    return { reason: 'payload_too_large', details, ...at }
  }
  return { reason: 'invalid_request', details: `${field} ${expectation(issue)}; got ${shown(value)}`, ...at }
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`
  return issue.code === 'too_big' ? `must be at most ${issue.maximum}` : issue.message
}
