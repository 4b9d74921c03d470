import { defaultAssetFormat, defaultChannel } from '../../src/catalogue/enumerations.ts'
import { lookupText } from './validation.ts'

export const required = (description: string) => ({ required: true as const, description })
/** Required codes and ids that are only looked up. */
export const requiredLookup = (description: string) => ({ ...required(description), ...lookupText })
export const nullable = (description: string) => ({ nullable: true as const, description })
export const nullableTime = (description: string) => ({ type: 'DateTime' as const, ...nullable(description) })

/** Arguments with a default; null is the same as leaving them out. */
export const optionalChannel = (description: string) => ({ defaultValue: defaultChannel, description })
export const optionalFormat = (description: string) => ({ defaultValue: defaultAssetFormat, description })
