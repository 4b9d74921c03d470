import { times } from './attacker.ts'
import { room, type Words } from './random-words.ts'

const leaves: [string, ...string[]] = ['{}', '[]', '""', '0', '1e308', '"\\ud800"', '{"a":[]}', 'null']

const listOf = ({ size }: Words, leaf: string, maxCharacters: number) =>
  `[${times(Math.min(size(19_990), Math.floor(maxCharacters / (leaf.length + 1)) + 1), () => leaf).join(',')}]`

/** An item of PUT of so many values, by where it has them. */
const shapes: [shape: string, build: (words: Words, leaf: string) => string][] = [
  ['list', (words, leaf) => `{"product_code":"P","v":${listOf(words, leaf, 100_000)}}`],
  ['long list', (words, leaf) => `{"product_code":"P","v":${listOf(words, leaf, 9_000_000)}}`],
  [
    'levels',
    ({ size }, leaf) => {
      const depth = size(9_000)
      return `{"product_code":"P","v":${'['.repeat(depth)}${leaf}${']'.repeat(depth)}}`
    },
  ],
  [
    'keys',
    ({ size, oneIn }, leaf) => {
      const keys = times(size(19_000), (i) => `"k${oneIn(2) ? 0 : i}":${leaf}`)
      return `{"product_code":"P",${keys.join(',')}}`
    },
  ],
]

/** The body of a PUT whose items have many members, levels or keys. */
export function bodyOfManyValues(words: Words): string {
  const [, build] = words.random.some(shapes, 1)[0] ?? ['', () => '{}']
  const item = build(words, words.pick(leaves))
  return `[${times(room(item.length, words.size, 20_000), () => item).join(',')}]`
}
