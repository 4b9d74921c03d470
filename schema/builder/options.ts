import { lookupText } from './validation.ts'

export const required = (description: string) => ({ required: true as const, description })
/** Required codes and ids that are only looked up. */
export const requiredLookup = (description: string) => ({ ...required(description), ...lookupText })
export const nullable = (description: string) => ({ nullable: true as const, description })
export const nullableTime = (description: string) => ({ type: 'DateTime' as const, ...nullable(description) })

/** The channel and asset format of arguments that are left out or null. */
export const defaults = { channel: 'SMP', assetFormat: 'image' }
export const defaultChannel = (description: string) => ({ defaultValue: defaults.channel, description })
export const defaultFormat = (description: string) => ({ defaultValue: defaults.assetFormat, description })
