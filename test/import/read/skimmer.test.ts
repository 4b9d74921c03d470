import fc from 'fast-check'
import { expect, test } from 'vitest'
import { skimmer } from '../../../src/import/read/xlsx/skimmer.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'

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

/** The text without the blanks after elements that are read. */
const withoutBlanks = (text: string) => text.replaceAll(/(<si><t>a<\/t><\/si>) +/g, '$1')

test('each part of a text is read or parsed once and in order, wherever it is cut', () => {
  const pieces = fc.array(fc.constantFrom(plain, plain, ...others), { maxLength: 12 })
  fc.assert(
    fc.property(pieces, fc.array(fc.nat(), { maxLength: 6 }), (parts, cuts) => {
      const text = `${parts.join('')}<si><t>z</t></si>`
      const found = skimmed(text, cuts)
      expect(withoutBlanks(found.map(({ part }) => part).join(''))).toBe(withoutBlanks(text))
      expect(found.filter(({ isRead }) => isRead)).toHaveLength(parts.filter((part) => part === plain).length)
    }),
    { numRuns: 1_000 },
  )
})

test('elements that close themselves are searched once for the end of another', () => {
  const cpuMsFor = (count: number) => cpuMsOf(() => skimmed(`${'<si/>'.repeat(count)}${plain}`, []))
  cpuMsFor(1_000)
  expect(cpuMsFor(100_000)).toBeLessThan(10_000)
})

test('blanks between elements that are read are not handed to the parser', () => {
  const blanks = '\n\t '.repeat(10)
  const text = `<sst>${blanks}${[plain, plain, plain].join(blanks)}</sst>`
  const found = skimmed(text, [60, 75, 100, 115])
  const parsed = found.flatMap(({ isRead, part }) => (isRead ? [] : [part]))
  expect(parsed.join('')).toBe(`<sst>${blanks}</sst>`)
})

test.each(['<?xml version="1.0"?>', '<?xml\nversion="1.0"?>'])(
  '%j does not keep an element from being read',
  (start) => {
    for (let cut = 0; cut < start.length; cut++) {
      const found = skimmed(`${start}${plain}`, [cut])
      expect(found.at(-1)).toEqual({ isRead: true, part: plain })
    }
  },
)

test.each(['<!--', '<![CDATA[', '<!DOCTYPE sst ', '<?x '])('after %s all is parsed', (mark) => {
  const found = skimmed(`${plain}${mark}${plain}`, [plain.length, plain.length + 1])
  expect(found.map(({ isRead }) => isRead)).toEqual([true, ...found.slice(1).map(() => false)])
  expect(found.map(({ part }) => part).join('')).toBe(`${plain}${mark}${plain}`)
})
