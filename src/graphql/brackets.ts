export const deepest = 100

/**
 * Whether brackets nest deeper in the document than any real one does: its parser calls itself for each, and would exhaust the stack.
 * Those in comments and strings are text.
 */
export function nestsTooDeep(document: string): boolean {
  let depth = 0
  for (let i = 0; i < document.length; i++) {
    const character = document[i]
    if (character === '#') i = endOfComment(document, i)
    else if (character === '"') i = document.startsWith('"""', i) ? endOfBlock(document, i) : endOfString(document, i)
    else if (character === '{' || character === '[' || character === '(') {
      depth++
      if (depth > deepest) return true
    } else if (character === '}' || character === ']' || character === ')') depth--
  }
  return false
}

function endOfComment(document: string, start: number): number {
  let i = start
  while (i < document.length && document[i] !== '\n' && document[i] !== '\r') i++
  return i
}

/** A string ends with its line at the latest; where it is not closed, parsing ends too. */
function endOfString(document: string, start: number): number {
  for (let i = start + 1; i < document.length; i++) {
    const character = document[i]
    if (character === '\\') i++
    else if (character === '"' || character === '\n' || character === '\r') return i
  }
  return document.length
}

/** In a block string a backslash means something only before three quotes. */
function endOfBlock(document: string, start: number): number {
  let end = document.indexOf('"""', start + 3)
  while (end > 0 && document[end - 1] === '\\') end = document.indexOf('"""', end + 3)
  return end < 0 ? document.length : end + 2
}
