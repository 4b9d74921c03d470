import { z } from 'zod'
import { urlsOf } from '../database/connection/hosts.ts'
import { millisecondsOf } from '../text.ts'

/** A variable that is true or false. */
export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .default('false')
  .transform((value) => value === 'true')

export const isUrl = (value: string, schemes: string[]) =>
  URL.canParse(value) && schemes.includes(new URL(value).protocol)
export const postgres = ['postgres:', 'postgresql:']

export const url = (schemes: string[]) =>
  z.string().refine((value) => isUrl(value, schemes), {
    error: `must be a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
  })

/** A URL of a database, which may name several hosts. */
export const databaseUrl = z.string().refine((value) => urlsOf(value).every((one) => isUrl(one, postgres)), {
  error: 'must be a URL such as postgresql://user:password@host/database, with one host or several separated by commas',
})

/** A list separated by commas. */
export function listOf(isGood: (item: string) => boolean, message: string) {
  return z
    .string()
    .transform((text) => text.split(',').map((item) => item.trim()))
    .refine((items) => items.every(isGood), message)
}

/** Whether the text is an origin: a scheme, a host and perhaps a port, or `null` for files. `*` is none. */
export function isOrigin(text: string): boolean {
  return text === 'null' || URL.parse(text)?.origin === text.replace(/\/$/, '')
}

/** A duration such as `7d` in milliseconds. */
export function duration(usual: string) {
  return z
    .string()
    .default(usual)
    .transform((text, context) => {
      const milliseconds = millisecondsOf(text)
      if (milliseconds === undefined) context.addIssue('must be a duration such as 7d, 12h or 45m')
      return milliseconds ?? 0
    })
}

const units = { kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 }

/** A size such as `256MiB` in bytes. */
export function size(usual: string) {
  return z
    .string()
    .default(usual)
    .transform((text, context) => {
      const [, amount, unit = ''] = /^([1-9]\d{0,5})\s?([kmg]ib)$/i.exec(text) ?? []
      const bytes = Number(amount) * units[unit.toLowerCase() as keyof typeof units]
      if (amount === undefined) context.addIssue('must be a size such as 256MiB, 512KiB or 1GiB')
      return bytes
    })
}

export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .refine((value) => /^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)
}
