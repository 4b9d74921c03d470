export const scheme = /^[a-z][a-z0-9+.-]*:/i
const beginsAbsolute = /^[a-z][a-z0-9+.-]*:\/\//i
const absolute = /[a-z][a-z0-9+.-]*:\/\//iy
const separators = /[\s,|;]+/g
const picture = String.raw`\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?|heic|mp4|pdf)`
const pictureEnd = new RegExp(picture, 'i')
const isPicture = new RegExp(`${picture}$`, 'i')
const hasPicture = new RegExp(`/|${picture}`, 'i')
const beginsUrl = /^(\/|https?:|www\.)/i
/** Between them may be separators that are percent-encoded. */
const pictureThenUrlSource = `${picture}(?:[^/?=&\\w]*|(?:%(?:0[AD]|20|2C|3B|7C))+)[a-z][a-z0-9+.-]{0,20}://`
/** After other characters than these a URL is no part of the one before it. */
const urlThenUrl = new RegExp(`\\w[^/=?%\\w]+https?://|${pictureThenUrlSource}`, 'i')
const pictureThenPicture = new RegExp(`^[^?]*${picture}[^-/?.%@=#\\w][^?]*${picture}`, 'i')
/** As exports write a text after a URL, and other scripts their commas. */
const pictureThenMark = new RegExp(`${picture}(?:::|(?![\\x00-\\x7f])\\p{Po})`, 'iu')
const barBetween = /^[^?]*[|\n]|[|\n][^|\n/?]*[/?]/
const endsAsPicture = new RegExp(String.raw`${picture}(?:\?.*)?$`, 'i')

/** The parts of a text that end where an absolute URL follows separators. Other commas and blanks are a URL's own. */
function splitAtUrls(text: string): string[] {
  const parts: string[] = []
  let start = 0
  for (const { 0: gap, index } of text.matchAll(separators)) {
    absolute.lastIndex = index + gap.length
    if (absolute.lastIndex < text.length && !absolute.test(text)) continue
    parts.push(text.slice(start, index))
    start = index + gap.length
  }
  return start < text.length || parts.length === 0 ? [...parts, text.slice(start)] : parts
}

/** The URLs of a text; undefined if it cannot be split with certainty. */
export function splitCell(text: string): string[] | undefined {
  if (hasWordBetween(text)) return undefined
  const [first = '', ...rest] = splitAtUrls(text).filter((part) => part !== '')
  const paths = scheme.test(first) ? [first] : splitPaths(first)
  return paths === undefined || [...paths, ...rest].some(isDoubtful) ? undefined : [...paths, ...rest]
}

/** Whether a word or a sign is between two URLs, as in `https://a.example/1 and https://a.example/2`. */
function hasWordBetween(text: string): boolean {
  const words = text.split(/[^\S\n]+/)
  return words.some((word, i) => {
    const isBetween = i > 0 && beginsAbsolute.test(words[i + 1] ?? '')
    return isBetween && !/[\n,|;]|:\/\//.test(word) && !endsAsPicture.test(word)
  })
}

/** A text is split into relative paths if all end as pictures do, or all begin with a slash. */
function splitPaths(text: string): string[] | undefined {
  const paths = text.split(/[,|;\n]/).flatMap((path) => path.trim() || [])
  const areAlike = paths.every((path) => isPicture.test(path)) || paths.every((path) => path.startsWith('/'))
  return paths.length > 1 && !areAlike ? undefined : paths
}

/**
 * Whether a text may be several URLs: after the name of a picture, or before a path, a separator may be one between
 * URLs, and after the name of a picture any text may be. Bars and line breaks are a URL's own only in its query, with
 * no `/` or `?` after them.
 */
function isDoubtful(text: string): boolean {
  let [isAfterPicture, isInQuery] = [false, false]
  const hasDoubt = text.split(separators).some((word, i) => {
    if (i > 0 && (beginsUrl.test(word) || (isAfterPicture && (!isInQuery || hasPicture.test(word))))) return true
    isAfterPicture ||= endsAsPicture.test(word)
    isInQuery ||= word.includes('?')
    return false
  })
  const betweenUrls = [urlThenUrl, pictureThenPicture, pictureThenMark, barBetween]
  return hasDoubt || betweenUrls.some((pattern) => pattern.test(text))
}

/** Whether a text has no second URL. */
export function isOneUrl(text: string): boolean {
  return splitAtUrls(text).length === 1 && !urlThenUrl.test(text)
}

/** A path such as `photos/Sofa, red.jpg`: after a comma and a blank it has no folder. */
const pathWithCommas = /^[^,|;\n?]+(, [^,|;\n?/]+)+$/

/** Whether a text with commas is the path of one picture: no other picture ends before its end. */
export function isPathWithCommas(text: string): boolean {
  const end = pictureEnd.exec(text)
  return end !== null && end.index + end[0].length === text.length && pathWithCommas.test(text)
}
