const deepest = 100

/** Whether brackets nest deeper in the document than any real one does: its parser calls itself for each, and would exhaust the stack. */
export function nestsTooDeep(document: string): boolean {
  let depth = 0
  for (let i = 0; i < document.length; i++) {
    const character = document[i]
    if (character === '{' || character === '[' || character === '(') {
      depth++
      if (depth > deepest) return true
    } else if (character === '}' || character === ']' || character === ')') depth--
  }
  return false
}
