import fc from 'fast-check'
import { expect, test } from 'vitest'
import { skimmer } from '../../../src/import/read/xlsx/skimmer.ts'

const plain = '<si><t>a</t></si>'
const others = ['<si><r><t>b</t></r></si>', '<si/>', '<sis x="1">', ' ', 'text', '<t>c</t>', '</sst>']

/** What is read and what is parsed, in order, of a text that comes in parts. */
function skimmed(text: string, cuts: readonly number[]) {
  const found: { isRead: boolean; part: string }[] = []
  const skim = skimmer('si', (all, begin) => {
    if (!all.startsWith(plain, begin)) return undefined
    found.push({ isRead: true, part: plain })
    return begin + plain.length
  })
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
  for (const [i, place] of places.slice(1).entries()) {
    const part = text.slice(places[i], place)
    if (part !== '') skim(part, (rest) => found.push({ isRead: false, part: rest }))
  }
  skim('', (rest) => found.push({ isRead: false, part: rest }))
  return found
}

test('each part of a text is read or parsed once and in order, wherever it is cut', () => {
  const pieces = fc.array(fc.constantFrom(plain, plain, ...others), { maxLength: 12 })
  fc.assert(
    fc.property(pieces, fc.array(fc.nat(), { maxLength: 6 }), (parts, cuts) => {
      const text = `${parts.join('')}<si><t>z</t></si>`
      const found = skimmed(text, cuts)
      expect(found.map(({ part }) => part).join('')).toBe(text)
      expect(found.filter(({ isRead }) => isRead)).toHaveLength(parts.filter((part) => part === plain).length)
    }),
    { numRuns: 1_000 },
  )
})

test.each(['<!--', '<![CDATA[', '<!DOCTYPE sst ', '<?x '])('after %s all is parsed', (mark) => {
  const found = skimmed(`${plain}${mark}${plain}`, [plain.length, plain.length + 1])
  expect(found.map(({ isRead }) => isRead)).toEqual([true, ...found.slice(1).map(() => false)])
  expect(found.map(({ part }) => part).join('')).toBe(`${plain}${mark}${plain}`)
})
