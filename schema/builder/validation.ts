import { BasePlugin, type PothosInputFieldConfig, type PothosInputFieldType, type SchemaTypes } from '@pothos/core'
import { z } from 'zod'
import { maxValueLength } from '../../src/catalogue/attributes/attribute-rules.ts'
import { CatalogueError, type Fault } from '../../src/errors.ts'
import { maxItems } from '../../src/request/json-shape.ts'
import { hasAtMost, isStorable, shown, valueAt } from '../../src/text.ts'
import type { TextRule } from './options.ts'

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      defaultValidation: DefaultValidation<Types>
    }
  }
}

/** Adds the validation of their type to arguments and input fields. */
export class DefaultValidation<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onInputFieldConfig(config: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> {
    const { validate: stated } = config.pothosOptions as { validate?: object }
    const ofType = this.validationOf(config.type, this.textRule(config))
    if (!stated && !ofType) return config
    return { ...config, pothosOptions: { ...config.pothosOptions, validate: { ...ofType, ...stated } } }
  }

  private textRule(config: PothosInputFieldConfig<Types>): { schema: z.ZodString } | undefined {
    const owner = config.kind === 'Arg' ? config : this.buildCache.getTypeConfig(config.parentType)
    const text = (config.extensions?.text ?? owner.extensions?.text ?? {}) as Partial<TextRule>
    const { kind, maxLength = maxValueLength } = text
    // The ids of nodes are validated when they are decoded, which is before.
    if (kind === 'catalogue' || config.extensions?.isRelayGlobalID) return undefined
    const bounded = z.string().refine((value) => hasAtMost(value, maxLength), {
      error: `must have at most ${maxLength} characters`,
    })
    return { schema: kind === 'lookup' ? bounded : bounded.refine(isStorable, { error: notStorable }) }
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

const notStorable = 'must be a string without NUL and lone surrogates'

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
    const isOfBody = Number(issue.maximum) >= maxItems
    return { reason: isOfBody ? 'payload_too_large' : 'invalid_request', details, ...at }
  }
  return { reason: 'invalid_request', details: `${field} ${expectation(issue)}; got ${shown(value)}`, ...at }
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`
  return issue.code === 'too_big' ? `must be at most ${issue.maximum}` : issue.message
}
