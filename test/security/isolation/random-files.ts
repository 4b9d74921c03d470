import { times } from './attacker.ts'
import { bytesOf, maxBytes, room, type Words } from './random-words.ts'

interface Table {
  columns: readonly string[]
  codes: readonly string[]
  /** The value of each column in each row. */
  cell: string
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
const objectsOf = ({ columns, codes, cell }: Table) =>
  codes.map((sku) => JSON.stringify({ sku, ...Object.fromEntries(columns.map((name) => [name, cell])) }))

const formats: [format: string, build: (table: Table) => string][] = [
  [
    'CSV',
    ({ columns, codes, cell }) => {
      const cells = columns.map(() => quoted(cell)).join(',')
      return `sku,${columns.map(quoted).join(',')}\n${codes.map((code) => `${code},${cells}\n`).join('')}`
    },
  ],
  ['JSONL', (table) => objectsOf(table).join('\n')],
  ['JSON', (table) => `[${objectsOf(table).join(',')}]`],
]

/** The `ImportInput` of a random file. */
export function importInput({ random, size, pick, oneIn, names, text, code }: Words): object {
  const all = oneIn(2) ? names : times(size(5_000), (i) => `c${i}`)
  const cell = text(size(oneIn(2) ? 60_000 : 50))
  const fitting = Math.floor(maxBytes / 3 / (bytesOf(cell) + 20))
  const columns = all.slice(0, Math.max(1, fitting))
  const rows = room(columns.length * (bytesOf(cell) + 20) * 2 + 300, size, 200_000)
  const [format, build] = random.some(formats, 1)[0] ?? ['CSV', () => '']
  return {
    content: build({ columns, codes: times(rows, code), cell }),
    format,
    dryRun: oneIn(3),
    map: oneIn(3)
      ? columns.slice(0, size(2_000)).map((column, i) => ({ column, attribute: `mapped ${i}` }))
      : undefined,
    assets: oneIn(3) ? columns.slice(0, size(50)) : undefined,
    assetSeparator: oneIn(4) ? text(size(1_000)) : undefined,
    assetBase: oneIn(2) ? 'https://cdn.example/' : undefined,
    preset: oneIn(5) ? pick(['SHOPIFY', 'MAGENTO']) : undefined,
  }
}
