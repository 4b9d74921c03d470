import { defaultAssetFormat, defaultChannel } from '../../src/catalogue/enumerations.ts'

/** Which strings an argument, an input field or an input type takes. */
export interface TextRule {
  kind?: 'lookup' | 'catalogue'
  /** In characters; by default `maxValueLength`. */
  maxLength?: number
}

const textRule = (text: TextRule) => ({ extensions: { text } })

/** For codes and ids that are only looked up: for one that cannot be stored nothing is found. */
export const lookupText = textRule({ kind: 'lookup' })
/** For strings that the catalogue validates: a bad one fails with its item, or is named with all other faults. */
export const catalogueText = textRule({ kind: 'catalogue' })
/** For other strings whose maximum length is not `maxValueLength` characters. */
export const textUpTo = (maxLength: number) => textRule({ maxLength })
/** For strings that others are to contain: every character makes a search slower. */
export const partText = textUpTo(1_000)

export const required = (description: string) => ({ required: true as const, description })
/** Required codes and ids that are only looked up. */
export const requiredLookup = (description: string) => ({ ...required(description), ...lookupText })
export const nullable = (description: string) => ({ nullable: true as const, description })
export const nullableTime = (description: string) => ({ type: 'DateTime' as const, ...nullable(description) })

/** Arguments with a default; null is the same as leaving them out. */
export const optionalChannel = (description: string) => ({ defaultValue: defaultChannel, description })
export const optionalFormat = (description: string) => ({ defaultValue: defaultAssetFormat, description })
