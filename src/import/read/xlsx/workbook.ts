import { posix } from 'node:path'
import { shown } from '../../../text.ts'
import { optionName } from '../../options.ts'
import { UsageError } from '../../usage-error.ts'
import { BrokenFile, type ReadOptions } from '../row.ts'
import { parseWholeXml } from '../xml.ts'
import { formatOf, isOn, linkKey, type NumberFormat, unescaped } from './cell-text.ts'
import { plainText, skimmer } from './skimmer.ts'
import type { OpenEntry } from './zip.ts'

export interface Workbook {
  /** The name of the sheet that is read. */
  sheet: string
  /** The name of another one that is visible and has cells, if no option names a sheet. */
  other: string | undefined
  rows: AsyncIterable<Buffer>
  /** The URLs that cells of the sheet link to, by their keys. */
  links: Map<string, string>
  /** Whether pictures or charts are placed on the sheet. */
  hasDrawings: boolean
  /** The text of a shared string. */
  textAt(index: number): string | undefined
  /** How numbers of a style are shown. */
  formats: readonly NumberFormat[]
  since1904: boolean
}

/** Opens a sheet of a workbook, by default the first that is visible. Throws a UsageError if there is none. */
export async function openWorkbook(open: OpenEntry, options: ReadOptions): Promise<Workbook> {
  const { sheet: name } = options
  const path = (await relationsOf(open, '')).byType('officeDocument') ?? 'xl/workbook.xml'
  const sheets: { name: string; id: string; isHidden: boolean }[] = []
  let since1904 = false
  const workbook = /\.xml$/i.test(path) ? open(path) : undefined
  if (!workbook) throw new UsageError(noWorkbook)
  await parseWholeXml(workbook, {
    open: (tag, attributes) => {
      if (tag === 'workbookPr') since1904 = isOn(attributes.date1904)
      if (tag !== 'sheet') return
      const { name = '', state = 'visible' } = attributes
      // The prefix of the namespace is the writer's choice.
      const [, id = ''] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? []
      sheets.push({ name, id, isHidden: state !== 'visible' })
    },
  })
  const relations = await relationsOf(open, path)
  const tables = sheets.filter(({ id }) => relations.byId(id)?.type !== 'chartsheet')
  const first = tables.find(({ isHidden }) => !isHidden) ?? tables[0]
  const sheet = name === undefined ? first : tables.find((one) => one.name === name)
  if (!sheet) {
    const names = tables.map((one) => shown(one.name)).join(', ')
    if (names === '') throw new UsageError(noWorkbook)
    throw new UsageError(`${optionName(options, 'sheet')} must name a sheet of the file: ${names}; got ${shown(name)}`)
  }
  const target = relations.byId(sheet.id)?.target ?? ''
  const { links, byType } = await relationsOf(open, target)
  // Google Sheets adds an empty drawing to each sheet.
  const hasDrawings = await beginHas(open(byType('drawing') ?? ''), /Anchor[ >]/)
  const rows = open(target, true)
  if (!rows) throw new UsageError(`the sheet ${shown(sheet.name)} is not in the file`)
  const strings = open(relations.byType('sharedStrings') ?? '')
  const styles = open(relations.byType('styles') ?? '')
  const others = name === undefined ? tables.filter((one) => one !== sheet && !one.isHidden) : []
  let other: string | undefined
  for (const { id, name } of others)
    if (other === undefined && (await beginHas(open(relations.byId(id)?.target ?? ''), /<(\w+:)?[vt][ >]/)))
      other = name
  const textAt = strings ? await readStrings(strings) : () => undefined
  const formats = styles ? await readFormats(styles) : []
  return { sheet: sheet.name, other, rows, links, hasDrawings, textAt, formats, since1904 }
}

const noWorkbook =
  'the file must be a spreadsheet in XLSX with a sheet of cells; it is another ZIP archive, as ODS, XLSB and Numbers are: save it as XLSX, or unpack it'

/** Whether the beginning of a part has a tag. A part that cannot be read may have it. */
async function beginHas(part: AsyncIterable<Buffer> | undefined, tag: RegExp): Promise<boolean> {
  try {
    for await (const chunk of part ?? []) return tag.test(chunk.toString('latin1'))
    return false
  } catch (error) {
    if (error instanceof BrokenFile) return true
    throw error
  }
}

/** What a file of the archive refers to, by the ids and by the types of its relations. */
async function relationsOf(open: OpenEntry, path: string) {
  const folder = posix.dirname(path)
  const file = open(posix.join(folder, '_rels', `${posix.basename(path)}.rels`))
  const relations: { id: string; type: string; target: string }[] = []
  const links = new Map<string, string>()
  const add = (tag: string, { Id = '', Type = '', Target = '' }: Readonly<Record<string, string>>) => {
    if (tag !== 'Relationship') return
    if (Type.endsWith('/hyperlink') && /^https?:/i.test(Target)) links.set(linkKey(Target), Target)
    const target = posix.resolve('/', folder, Target.replaceAll('\\', '/')).slice(1)
    relations.push({ id: Id, type: Type.slice(Type.lastIndexOf('/') + 1), target })
  }
  if (file) await parseWholeXml(file, { open: add })
  return {
    links,
    byId: (id: string) => relations.find((one) => one.id === id),
    byType: (type: string) => relations.find((one) => one.type === type)?.target,
  }
}

async function readFormats(styles: AsyncIterable<Buffer>): Promise<NumberFormat[]> {
  const codes = new Map<number, string>()
  /** Cells may have thousands of styles with one format. */
  const known = new Map<number, NumberFormat>()
  const formats: NumberFormat[] = []
  let isCell = false
  await parseWholeXml(styles, {
    open: (tag, { numFmtId = '0', formatCode = '' }) => {
      if (tag === 'cellXfs') isCell = true
      const id = Number(numFmtId)
      if (tag === 'numFmt') codes.set(id, formatCode)
      if (tag !== 'xf' || !isCell) return
      const format = known.get(id) ?? formatOf(id, codes.get(id))
      known.set(id, format)
      formats.push(format)
    },
    close: (tag) => {
      if (tag === 'cellXfs') isCell = false
    },
  })
  return formats
}

const maxStringBytes = 200 * 1024 * 1024
const pageBytes = 1024 * 1024
const tooManyTexts = () =>
  new BrokenFile(`the texts of the spreadsheet must have at most ${maxStringBytes} bytes, and 12 for each`)

const plainString = new RegExp(`<si>${plainText}</si>`, 'y')

/** Reads the shared strings into pages of bytes: as JavaScript's strings they take several times as much memory. */
async function readStrings(strings: AsyncIterable<Buffer>): Promise<(index: number) => string | undefined> {
  const pages: Buffer[] = [Buffer.allocUnsafe(pageBytes)]
  /** For each string where it begins, as if all pages were equally long, and its length. */
  let places = new Uint32Array(2 * 1024)
  let [count, used, total] = [0, 0, 0]
  const add = (text: string) => {
    // Escapes stay: half of a surrogate pair is no text of UTF-8.
    const bytes = Buffer.from(text)
    // An empty text takes memory for its place, too.
    total += bytes.length + 12
    if (total > maxStringBytes) throw tooManyTexts()
    if (used + bytes.length > pageBytes) {
      pages.push(Buffer.allocUnsafe(Math.max(pageBytes, bytes.length)))
      used = 0
    }
    bytes.copy(pages.at(-1) ?? bytes, used)
    if (2 * count === places.length) {
      const larger = new Uint32Array(2 * places.length)
      larger.set(places)
      places = larger
    }
    places.set([(pages.length - 1) * pageBytes + used, bytes.length], 2 * count++)
    used += bytes.length
  }
  let text = ''
  let isText = false
  let phonetic = 0
  const skim = skimmer('si', (all, begin) => {
    plainString.lastIndex = begin
    const [, plain] = plainString.exec(all) ?? []
    if (plain === undefined) return undefined
    add(plain)
    return plainString.lastIndex
  })
  await parseWholeXml(strings, {
    skim,
    open: (tag) => {
      if (tag === 'si') text = ''
      if (tag === 'rPh') phonetic++
      isText = tag === 't' && phonetic === 0
    },
    text: (more) => {
      if (!isText) return
      text += more
      if (text.length > maxStringBytes) throw tooManyTexts()
    },
    close: (tag) => {
      isText = false
      if (tag === 'rPh') phonetic--
      if (tag === 'si') add(text)
    },
  })
  return (index) => {
    if (!(Number.isInteger(index) && index >= 0 && index < count)) return undefined
    const begin = places[2 * index] ?? 0
    const from = begin % pageBytes
    const page = pages[Math.floor(begin / pageBytes)]
    return unescaped(page?.toString('utf8', from, from + (places[2 * index + 1] ?? 0)) ?? '')
  }
}
