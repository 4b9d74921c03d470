/** Whether PostgreSQL can hold the text unchanged: it has no NUL and no lone surrogate. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

const encoder = new TextEncoder()

/** The bytes of a text. Most texts are ASCII: to write one takes less time than to measure it first, as Node does. */
export function bytesOf(text: string): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafe(text.length)
  return encoder.encodeInto(text, bytes).read === text.length ? bytes : Buffer.from(text)
}

/** The text's length in characters, which are code points everywhere in this service. */
export function lengthOf(text: string): number {
  let length = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit < 0xdc00) length--
  }
  return length
}

/** Whether the text has at most `max` characters. Mostly its length in UTF-16 decides, without a count. */
export function hasAtMost(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && lengthOf(text) <= max)
}

/** Whether the text has 1 to `max` characters and can be stored unchanged: the rule for codes, ids and names. */
export function isName(text: string, max = 255): boolean {
  return text.length > 0 && isStorable(text) && hasAtMost(text, max)
}

/** A value for a message: scalars and short texts as they are, other values by their kind. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value !== 'string') return String(value)
  const length = lengthOf(value)
  return length <= 100 ? JSON.stringify(value) : `a text of ${length} characters`
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The canonical (lower case) form of a UUID; undefined for another text. */
export function storeUuidOf(text: string): string | undefined {
  return uuid.test(text) ? text.toLowerCase() : undefined
}

export function isUuid(text: string): boolean {
  return uuid.test(text)
}

/** A scheme and the beginning of a host. No blank ends it, and nothing that `URL` drops: line breaks, tabs, slashes. */
const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/\\?#\s]([^\t\n\r]*\S)?$/i

/** Whether the text is an absolute URL with a host, as `https://example.com/a.jpg`. */
export function isAbsoluteUrl(text: string): boolean {
  return isStorable(text) && absolute.test(text) && Boolean(URL.parse(text)?.host)
}

/** A URL without its credentials, and the header with them: errors of `fetch` would quote the URL. */
export function withoutCredentials(text: string): { url: URL; headers: Record<string, string> } {
  const url = new URL(text)
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = url.password = ''
  if (credentials === ':') return { url, headers: {} }
  return { url, headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } }
}

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration such as `30d`, `12h`, `45m` or `90s` in ms; undefined unless it is more than 0 and at most 100 years. */
export function millisecondsOf(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,10})([smhd])$/.exec(text.trim()) ?? []
  const milliseconds = Number(amount) * (units[unit ?? ''] ?? Number.NaN)
  return milliseconds > 0 && milliseconds <= 36_525 * 86_400_000 ? milliseconds : undefined
}

/** A time as RFC 3339; undefined for another text. */
export function timeOf(text: string): Date | undefined {
  const [, date] = /^(\d{4}-\d\d-\d\d)T(?!24)\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i.exec(text) ?? []
  if (date === undefined || Number.isNaN(Date.parse(text))) return undefined
  // `Date` takes 30 February for 2 March. It knows an hour 24, which RFC 3339 does not have.
  return new Date(date).toISOString().startsWith(date) ? new Date(text) : undefined
}

interface QueryParameter {
  /** As sent. */
  sent: string
  /** Undefined, as is the value, if it is not percent-encoded UTF-8. */
  name: string | undefined
  value: string | undefined
}

/** What a parameter must be whose value is undefined. */
export const notDecoded = 'must be percent-encoded UTF-8'

/** The parameters of a query string, in their order. */
export function parametersOf(search: string): QueryParameter[] {
  const pairs = search.replaceAll('+', ' ').split('&')
  return pairs.map((pair) => {
    const end = pair.includes('=') ? pair.indexOf('=') : pair.length
    const sent = pair.slice(0, end)
    return { sent, name: decoded(sent), value: decoded(pair.slice(end + 1)) }
  })
}

/** A percent-encoded text; undefined if it is malformed. */
export function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The text of a stream; undefined if it has more than `maxBytes`. */
export async function textWithin(maxBytes: number, stream: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at a path within another one; undefined if there is none. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], value)
}

/** The value of a JSON text; undefined if it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a spreadsheet runs as a formula begins so, and what it would run without the apostrophes. */
const formula = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/** A cell of CSV with an apostrophe before what a spreadsheet would run as a formula. */
export function escapeFormula(cell: string): string {
  return formula.test(cell) ? `'${cell}` : cell
}

/** The cell without the apostrophe of `escapeFormula`, or the text of the formula `="text"`; undefined for another. */
export function unescapedFormula(cell: string): string | undefined {
  if (cell.startsWith("'") && formula.test(cell)) return cell.slice(1)
  if (cell.length < 3 || !cell.startsWith('="') || !cell.endsWith('"')) return undefined
  // A regular expression for pairs of quotes overflows the stack if there are millions.
  const text = cell.slice(2, -1)
  return text.replaceAll('""', '').includes('"') ? undefined : text.replaceAll('""', '"')
}

/** The errors of spreadsheets, in their languages, without the marks around their words. */
const errorWords = new Set(
  `NULL VALUE REF NAME NUM SPILL CALC FIELD BLOCKED CONNECT UNKNOWN BUSY ERROR DIV/0 N/A n/a GETTING_DATA NV WERT BEZUG
  ZAHL ÜBERLAUF KALK FELD BLOCKIERT VERBINDEN UNBEKANNT DATEN_ABRUFEN NUL VALEUR NOM NOMBRE PROPAGATION EPARS CHAMP
  CONNEXION INCONNU NULO VALOR DESBORDAMIENTO CAMPO BLOQUEADO CONECTAR DESCONOCIDO OBTENIENDO_DATOS N/D NOME NÚM
  DESPEJAR DESCONHECIDO NULLO VALORE RIF ESPANSIONE BLOCCATO LEEG DEEL/0 WAARDE VERW NAAM GETAL N/B OVERLOOP BEREKENEN
  VELD GEBLOKKEERD ONBEKEND ZERO DZIEL/0 ARG ADR NAZWA LICZBA ROZLANIE SKÄRNING DIVISION/0 VÄRDEFEL REFERENS NAMN
  OGILTIGT SAKNAS VÆRDI REFERENCE NAVN I/T OVERLØB VERDI TYHJÄ JAKO/0 ARVO VIITTAUS NIMI LUKU PUUTTUU HODNOTA ODKAZ
  NÁZEV NÁZOV ČÍSLO PŘESAH NENÍ_K_DISPOZICI NULLA ZÉRÓOSZTÓ ÉRTÉK HIV NÉV SZÁM HIÁNYZIK BOŞ SAYI/0 DEĞER BAŞV AD SAYI
  YOK TAŞMA ПУСТО ДЕЛ/0 ЗНАЧ ССЫЛКА ИМЯ ЧИСЛО Н/Д ПЕРЕНОС ВЫЧИСЛ ΚΕΝΟ ΔΙΑΙΡ/0 ΤΙΜΗ ΑΝΑΦ ΟΝΟΜΑ ΑΡΙΘ Δ/Υ VREDN SKLIC ŠTEV
  DEL/0`.split(/\s+/),
)
const errorWithoutMark = /^#(?:.\/.|NV|YOK|SAKNAS|PUUTTUU|HIÁNYZIK|.+_.+)$/u

/** Whether the text is a known error of a spreadsheet, or the signs of a column too narrow for its number. */
export function isSpreadsheetError(text: string): boolean {
  const error = text.trim().normalize()
  if (!error.startsWith('#')) return /^Err:5[0-4]\d$/.test(error)
  const word = error.replace(/^#[¡¿]?/, '').replace(/ ?[!?]$/, '')
  return /^#{4,}$/.test(error) || (errorWords.has(word) && (/[!?]$/.test(error) || errorWithoutMark.test(error)))
}

/** A character as an escape of JSON, for output where nobody would see it, or a terminal would obey it. */
export function unicodeEscape(character: string): string {
  return `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`
}

/** An input without the fields that are null: they have their defaults, or are unchanged. */
export function withoutNulls<Input extends object>(input: Input) {
  const given = Object.entries(input).filter(([, value]) => value != null)
  return Object.fromEntries(given) as { [Name in keyof Input]?: Exclude<Input[Name], null | undefined> }
}
