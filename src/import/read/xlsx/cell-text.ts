import { timeOf } from '../../../text.ts'

/** How numbers with a style are shown: as dates, times of day, codes, or numbers with at least so many digits. */
export type NumberFormat = 'date' | 'time' | 'code' | number

/** The built-in formats of numbers that are dates or times of day; durations are numbers. */
const dateFormats = new Set([14, 15, 16, 17, 22, ...range(27, 31), 34, 35, 36, ...range(50, 54), 57, 58])
const timeFormats = new Set([18, 19, 20, 21, 32, 33, 45, 47, 55, 56])

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}

/** How a format of numbers, by its id and its own code if it has one, shows them. */
export function formatOf(id: number, code: string | undefined): NumberFormat {
  const format = numberFormat(id, code)
  return typeof format === 'number' && code !== undefined && isCodeFormat(code) ? 'code' : format
}

/** Excel writes none that is longer. */
const maxCode = 255
/** The codes of parts of a date or time, `T` and `Z` of ISO 8601 among them; another word is no part of one. */
const dateCodes = /^(?:[ymdhsegb]|aaa)+(?:t[hms]+)?z?$/i

/** How a format shows numbers that are no codes: as dates, times of day, or with at least so many digits. */
export function numberFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return dateFormats.has(id) ? 'date' : timeFormats.has(id) ? 'time' : 1
  if (code.length > maxCode) return 1
  const [first = ''] = code.replaceAll(/"[^"]*"|[\\_*]./g, '').split(';')
  if (/\[(h+|m+|s+)\]/i.test(first)) return 1
  const shown = first.replaceAll(/\[[^[\]]*\]|AM\/PM|A\/P/gi, '')
  // Letters after digits are a unit; `General` is a word in each language.
  const words = shown.replace(/[0#?].*/, '').match(/\p{Script=Latin}+/gu) ?? []
  const codes = words.filter((word) => dateCodes.test(word))
  const has = (part: RegExp) => codes.some((word) => part.test(word))
  // `m` are minutes in a format with hours or seconds; `aaa` is a day of the week, `ge` and `bb` are years.
  if (has(/[dy]|aaa|bb|^g*e+$/i) || (has(/m/i) && !has(/[hs]/i))) return 'date'
  if (has(/[hs]/i)) return 'time'
  return Math.max(1, shown.replace(/(?:[./]|(?<=[0#?])e).*/i, '').replaceAll(/[^0]/g, '').length)
}

/** Whether a format has letters right before the digits of a number, or signs between them: `"ART-"0`, `000-00`. */
export function isCodeFormat(code: string): boolean {
  if (code.length > maxCode) return false
  const shown = code.replaceAll(
    /"([^"]*)"|\\(.)|\[[^[\]]*\]|[_*]./g,
    (all, quoted: string | undefined, escaped: string | undefined) => {
      const text = quoted ?? escaped
      if (text === undefined) return all.startsWith('[') ? '' : ' '
      return text.replaceAll(/[\p{L}\p{N}]+/gu, 'L').replaceAll(/[;.,]/g, '')
    },
  )
  const [first = ''] = shown.split(';')
  // Amounts of a currency have separators, or a blank.
  return !/[.,]/.test(first) && /L[^\sL]*[0#?]|[0#?]-[0#?]/.test(first)
}

/** A date, a time, or both. */
const iso8601 =
  /^(?:(\d{4}-\d\d-\d\d)(?=T|$))?(?:T?(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/

/** A date and time of ISO 8601 in the form of `dateText`; undefined if there is none. */
export function isoDateText(text: string, format: NumberFormat | undefined, since1904: boolean): string | undefined {
  const found = iso8601.exec(text)
  if (!found || (found[1] !== undefined && !timeOf(`${found[1]}T${midnight}Z`))) return undefined
  const [day = '', time = midnight] = text.replace(/(\.\d+)?Z?$/, '').split('T')
  const isDay0 = since1904 ? day === '1904-01-01' : day === '1899-12-30' || day === '1899-12-31'
  if (isDay0 && (format === 'time' || (!since1904 && time !== midnight))) return time
  return time === midnight ? day : `${day}T${time}`
}

const midnight = '00:00:00'

/** The shortest text of a number, without an exponent. */
export function numberText(value: number): string {
  const text = String(value)
  const [, sign = '', whole = '', decimals = '', exponent] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text) ?? []
  if (exponent === undefined) return text
  const point = whole.length + Number(exponent)
  const digits = whole + decimals
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return sign + digits.padEnd(point, '0').slice(0, point) + (digits.length > point ? `.${digits.slice(point)}` : '')
}

const secondsOfDay = 86_400

/**
 * The date, with the time if it is not midnight, of a day counted as spreadsheets do; undefined if there is none. Less
 * than a day in a format of times, or in the system of 1900, is a time. There, day 60 is a 29th of February that was
 * not.
 */
export function dateText(days: number, format: 'date' | 'time', since1904: boolean): string | undefined {
  // A time of day that is nearly over does not become a date.
  const last = format === 'time' && days < 1 ? secondsOfDay - 1 : Number.POSITIVE_INFINITY
  const seconds = Math.min(Math.round(days * secondsOfDay), last)
  if (!Number.isFinite(seconds) || seconds < 0) return undefined
  const time = seconds % secondsOfDay
  const day = (seconds - time) / secondsOfDay
  const first = since1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, day < 60 ? 31 : 30)
  const date = new Date(first + seconds * 1000)
  if (!(date.getTime() < Date.UTC(10_000, 0, 1))) return undefined
  const text = date.toISOString().slice(0, 19)
  const isTime = day === 0 && (format === 'time' || (!since1904 && time > 0))
  if (isTime) return text.slice(11)
  if (!since1904 && (day === 0 || day === 60)) return undefined
  return time === 0 ? text.slice(0, 10) : text
}

/** What a sheet shows for a day that is no date: a day that only spreadsheets have, or no more than signs. */
export function noDateText(days: number): string {
  const day = { 0: '1900-01-00', 60: '1900-02-29' }[Math.floor(days)]
  const time = dateText(days % 1, 'time', false)
  if (day === undefined) return '########'
  return time === midnight ? day : `${day}T${time}`
}

/** The text of XLSX, in which characters that XML cannot have are `_x000D_`. */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text
  return text.replaceAll(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** The index of the column of a cell such as `AB12`, from 0. */
export function columnIndex(cell: string): number {
  let index = 0
  for (let i = 0; i < cell.length; i++) {
    const letter = cell.charCodeAt(i) - 64
    if (letter < 1 || letter > 26) break
    index = index * 26 + letter
  }
  return index - 1
}

/** Whether an attribute of XML is true. */
export function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true'
}

/** A URL as cells and links have in common: without its scheme, fragment, last slash and escapes. */
export function linkKey(url: string): string {
  const key = url
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/#.*/s, '')
    .replace(/\/$/, '')
  // As bytes: escapes of other bytes than those of UTF-8 are no error.
  const bytes = Buffer.from(key).toString('latin1')
  return bytes.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
