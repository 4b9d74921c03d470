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

/** A text that is read as a number, such as a duration. */
function readAs(read: (text: string) => number | undefined, usual: string, expected: string) {
  return z
    .string()
    .default(usual)
    .transform((text, context) => {
      const value = read(text)
      if (value === undefined) context.addIssue(`must be a ${expected}`)
      return value ?? 0
    })
}

/** A duration such as `7d` in milliseconds. */
export const duration = (usual: string) => readAs(millisecondsOf, usual, 'duration such as 7d, 12h or 45m')

/** A size such as `256MiB` in bytes. */
export const size = (usual: string) => readAs(bytesOf, usual, 'size such as 256MiB, 512KiB or 1GiB')

const units = { kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 }

function bytesOf(text: string): number | undefined {
  const [, amount, unit = ''] = /^([1-9]\d{0,5})\s?([kmg]ib)$/i.exec(text) ?? []
  return amount === undefined ? undefined : Number(amount) * units[unit.toLowerCase() as keyof typeof units]
}

export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .refine((value) => /^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)
}
