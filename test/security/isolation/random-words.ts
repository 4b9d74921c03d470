import type { Random } from '../../support/random.ts'
import { times } from './attacker.ts'

/** What the parts of one attack have in common, so that definitions meet values, and ids groups. */
export interface Words {
  random: Random
  store: string
  /** A size between 1 and `most`; small ones are as likely as large ones. */
  size(most: number): number
  pick<T>(items: readonly [T, ...T[]]): T
  /** True once in so many times. */
  oneIn(n: number): boolean
  names: string[]
  text(length: number): string
  code(i: number): string
}

export const maxBytes = 10 * 1024 * 1024 - 200_000
const characters: [string, ...string[]] = [
  'a',
  'ab',
  'é',
  '漢',
  '😀',
  '"',
  '\\',
  '\n',
  ',',
  '\u0001',
  "'",
  ' ',
  '[]{}',
  '=1+1',
  '<&>',
]

export function wordsOf(random: Random, store: string): Words {
  const size = (most: number) =>
    Math.max(1, Math.floor(Math.exp((random.below(1_000_001) / 1_000_000) * Math.log(most + 1))))
  const pick: Words['pick'] = (items) => items[random.below(items.length)] ?? items[0]
  const oneIn = (n: number) => random.below(n) === 0
  const letters = pick(characters)
  const text = (length: number) =>
    letters
      .repeat(Math.ceil(length / letters.length))
      .slice(0, length)
      .toWellFormed()
  const nameLength = size(240)
  const codeLength = size(240)
  const names = times(size(2_000), (i) => `${i} ${text(nameLength)}`.slice(0, 250).toWellFormed())
  const code = (i: number) => `${i} ${'c'.repeat(codeLength)}`
  return { random, store, size, pick, oneIn, names, text, code }
}

/** The same field under many aliases. */
export const aliased = ({ size }: Words, most: number, field: (i: number) => string) =>
  times(size(most), (i) => `f${i}: ${field(i)}`).join(' ')

/** How many items of so many bytes a body may have. */
export const room = (bytes: number, size: Words['size'], most = 10_000) =>
  size(Math.max(1, Math.min(most, Math.floor(maxBytes / Math.max(1, bytes)))))

export const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

function attributesOf({ random, size, names, text }: Words): Record<string, string> {
  const value = text(size(65_535))
  const count = Math.max(
    1,
    room(bytesOf(value) + 260, size, Math.min(names.length, Math.floor(4_000_000 / bytesOf(value)))),
  )
  return Object.fromEntries(names.slice(0, count).map((name) => [name, value.slice(random.below(2))]))
}

export function items(words: Words): ({ product_code: string } & Record<string, string>)[] {
  const attributes = attributesOf(words)
  const count = room(bytesOf(attributes) + 300, words.size)
  const from = words.random.below(2) * 5_000
  return times(count, (i) => ({ product_code: words.code(from + i), ...attributes }))
}

export const patches = (words: Words) =>
  items(words).map(({ product_code: productCode, ...attributes }) => ({ productCode, attributes }))

const patterns: [(words: Words) => string, ...((words: Words) => string)[]] = [
  ({ size }) => `a{0,${size(1_000)}}`.repeat(size(20)),
  ({ size }) => `[ab]*a[ab]{${size(990)}}c`.repeat(size(5)),
  ({ size }) => `(?:a|b|ab|ba){${size(240)}}`,
  ({ size }) => `(?i)\\p{L}{${size(900)}}\\p{Lu}*[^\\x{10}-\\x{10ffff}]*`,
  ({ size }) => {
    const depth = size(300)
    return `${'('.repeat(depth)}a*${')*'.repeat(depth)}`
  },
  ({ size, text }) => times(size(500), (i) => `${i}${text(size(20)).replaceAll(/\W/g, 'w')}`).join('|'),
  ({ size }) => `(?:${'|'.repeat(size(2_000))})`,
  ({ size }) => `[${times(size(5_000), (i) => String.fromCodePoint(0x4e00 + 2 * i)).join('')}]{1,${size(100)}}`,
]

export const pattern = (words: Words) => words.pick(patterns)(words)

export function definitions(words: Words): object[] {
  const { size, names, text, pick, oneIn } = words
  const type = pick(['TEXT', 'NUMBER', 'BOOLEAN', 'DATE', 'URL', 'ENUM'])
  const used = oneIn(2) ? pattern(words) : undefined
  const allowedValues = type === 'ENUM' || oneIn(4) ? times(size(2_000), (i) => `${i} ${text(size(500))}`) : undefined
  const definition = { type, pattern: used, allowedValues, maxLength: oneIn(3) ? size(65_535) : undefined }
  const count = Math.min(names.length, room(bytesOf(definition) + 260, size))
  const [filterable, searchable] = oneIn(2) ? [0, 0] : [size(8), size(4)]
  return names.slice(0, count).map((name, i) => ({
    name,
    ...definition,
    ...(used && i % 2 && { pattern: `${used}${i}` }),
    filterable: i < filterable,
    searchable: i < searchable,
  }))
}
