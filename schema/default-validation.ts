import {
  BasePlugin,
  type FieldRequiredness,
  type InputFieldMap,
  type InputType,
  type PothosInputFieldConfig,
  type PothosInputFieldType,
  type SchemaTypes,
} from '@pothos/core'
import { z } from 'zod'
import { isStorable } from '../src/text.ts'

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      defaultValidation: DefaultValidation<Types>
    }
    interface InputFieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      Type extends InputType<Types> | [InputType<Types>] = InputType<Types> | [InputType<Types>],
      Req extends FieldRequiredness<Type> = FieldRequiredness<Type>,
    > {
      /** Any text is accepted: the catalogue judges it, or it names nothing. */
      anyText?: boolean
    }
    interface InputObjectTypeOptions<
      Types extends SchemaTypes = SchemaTypes,
      Fields extends InputFieldMap = InputFieldMap,
    > {
      /** Any text is accepted in all fields: the catalogue judges them, to report every fault at once. */
      anyText?: boolean
    }
  }
}

/** A text that PostgreSQL can hold unchanged. */
const storable = {
  schema: z.string().refine(isStorable, { error: 'must be a string without NUL and lone surrogates' }),
}

/** The most items of a list in a request (decisions: Envelope). */
const maxLength = 10_000

/**
 * Gives every argument and input field the validation that its type asks for, unless it states its own: texts are
 * storable, and lists have at most 10,000 items.
 */
export class DefaultValidation<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onInputFieldConfig(config: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> {
    const options = config.pothosOptions as { validate?: unknown; anyText?: boolean }
    const anyText = options.anyText ?? this.acceptsAnyText(config)
    const validate = options.validate ?? this.validationOf(config.type, anyText)
    return validate ? { ...config, pothosOptions: { ...config.pothosOptions, validate } } : config
  }

  private acceptsAnyText({ kind, parentType }: PothosInputFieldConfig<Types>): boolean {
    if (kind === 'Arg') return false
    const { pothosOptions } = this.buildCache.getTypeConfig(parentType, 'InputObject')
    return (pothosOptions as { anyText?: boolean }).anyText ?? false
  }

  private validationOf(type: PothosInputFieldType<Types>, anyText: boolean): object | undefined {
    if (type.kind === 'List') {
      const items = this.validationOf(type.type, anyText)
      return items ? { maxLength, items } : { maxLength }
    }
    const { name } = this.buildCache.getTypeConfig(type.ref)
    return !anyText && (name === 'String' || name === 'ID') ? storable : undefined
  }
}
