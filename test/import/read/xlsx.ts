import { crc32, deflateRawSync } from 'node:zlib'

/** A cell: a shared text, or the XML of another cell. */
export type SheetCell = string | { xml: string }

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const relations = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** The styles that cells may name: none, a date, a date and time, duration, percentage, five digits, time, code. */
const formats = [0, 14, 22, 164, 165, 166, 20, 167]
const styles = `<styleSheet ${main}><numFmts><numFmt numFmtId="164" formatCode="[h]:mm"/>
  <numFmt numFmtId="165" formatCode="0.0%&quot; of all days&quot;"/><numFmt numFmtId="166" formatCode="00000"/>
  <numFmt numFmtId="167" formatCode="&quot;ART-&quot;0000"/>
  </numFmts><cellXfs>${formats.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`

export const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('\r', '_x000D_')

interface Book {
  /** Whether days count from 1904. */
  since1904?: boolean
  hidden?: readonly string[]
  /** The number of a row, and of a column, that each sheet hides. */
  hiddenRow?: number
  hiddenColumn?: number
  /** Ranges of cells that are merged, in each sheet. */
  merged?: readonly string[]
  /** What is placed on each sheet, as XML; empty as in exports of Google Sheets. */
  drawing?: string
}

/** The bytes of a workbook with sheets of rows. */
export function workbookOf(
  sheets: Record<string, readonly (readonly SheetCell[])[]>,
  { since1904 = false, hidden = [], merged = [], drawing, hiddenRow, hiddenColumn }: Book = {},
): Buffer {
  const strings: string[] = []
  const cellOf = (cell: SheetCell, at: string) => {
    if (typeof cell !== 'string') return cell.xml.includes(' r=') ? cell.xml : cell.xml.replace('<c', `<c r="${at}"`)
    return cell === '' ? '' : `<c r="${at}" t="s"><v>${strings.push(cell) - 1}</v></c>`
  }
  const names = Object.keys(sheets)
  const merges = merged.map((ref) => `<mergeCells><mergeCell ref="${ref}"/></mergeCells>`).join('')
  const stateOf = (name: string) => (hidden.includes(name) ? ' state="hidden"' : '')
  const files = Object.values(sheets).map((rows) => {
    const lines = rows.map((cells, i) => {
      const row = cells.map((cell, at) => cellOf(cell, `${columnName(at)}${i + 1}`)).join('')
      return `<row r="${i + 1}"${hiddenRow === i + 1 ? ' hidden="1"' : ''}>${row}</row>`
    })
    const columns = hiddenColumn ? `<cols><col min="${hiddenColumn}" max="${hiddenColumn}" hidden="1"/></cols>` : ''
    return `${declaration}<worksheet ${main}>${columns}<sheetData>${lines.join('')}</sheetData>${merges}${drawing === undefined ? '' : '<drawing r:id="d"/>'}</worksheet>`
  })
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${types}/${type}" Target="${target}"/>`
  const shared = () => strings.map((text) => `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`).join('')
  return zipOf({
    '_rels/.rels': `<Relationships ${relations}>${relation('a', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook ${main} xmlns:r="${types}"><workbookPr date1904="${since1904}"/><sheets>${names
      .map((name, i) => `<sheet name="${escapeXml(name)}"${stateOf(name)} sheetId="${i + 1}" r:id="s${i}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships ${relations}>${names
      .map((_name, i) => relation(`s${i}`, 'worksheet', `worksheets/sheet${i + 1}.xml`))
      .join(
        '',
      )}${relation('t', 'sharedStrings', 'sharedStrings.xml')}${relation('u', 'styles', '/xl/styles.xml')}</Relationships>`,
    ...Object.fromEntries(files.map((file, i) => [`xl/worksheets/sheet${i + 1}.xml`, file])),
    ...(drawing === undefined
      ? {}
      : drawingOf(files.length, relation('d', 'drawing', '../drawings/drawing1.xml'), drawing)),
    'xl/styles.xml': styles,
    'xl/sharedStrings.xml': `<sst ${main}>${shared()}</sst>`,
  })
}

function drawingOf(sheets: number, relation: string, content: string) {
  const paths = Array.from({ length: sheets }, (_, i) => `xl/worksheets/_rels/sheet${i + 1}.xml.rels`)
  return {
    ...Object.fromEntries(paths.map((path) => [path, `<Relationships ${relations}>${relation}</Relationships>`])),
    'xl/drawings/drawing1.xml': `<xdr:wsDr>${content}</xdr:wsDr>`,
  }
}

function columnName(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26))
  return at < 26 ? letter : columnName(Math.floor(at / 26) - 1) + letter
}

/** A ZIP archive of files. */
export function zipOf(files: Record<string, string | Buffer>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('504b0304', 'hex'), common, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('504b01021400', 'hex'), common, place, Buffer.from(name))
    parts.push(local)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('504b0506', 0, 'hex')
  end.writeUInt16LE(Object.keys(files).length, 8)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, central, end])
}
