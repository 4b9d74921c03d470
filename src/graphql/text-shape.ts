/** How large a document is as it stands, before its fragments are put in their places. What counts by definition is that of the one which has most. */
export interface TextShape {
  characters: number
  /** Words and signs, as GraphQL has them. */
  tokens: number
  /** How deep brackets nest. */
  brackets: number
  /** Words and signs within arguments, and where variables are defined. */
  values: number
  operations: number
  fragments: number
  /** Fields, and places of fragments. */
  fields: number
  aliases: number
  directives: number
  variables: number
  rootFields: number
}

/** Where measuring ends, as what follows would change nothing. */
export type Ends = Pick<TextShape, 'characters' | 'tokens' | 'brackets'>

/** Strings and comments are one piece each, so that nothing in them counts. What is no GraphQL is a piece too: the parser ends there. */
const pieces =
  /"""(?:\\"""|[\s\S])*?(?:"""|$)|"(?:\\[^\n\r]|[^"\\\n\r])*"?|#[^\n\r]*|\.{3}|[_A-Za-z]\w*|-?\d[\w.+-]*|[^\s,\ufeff]/g

/**
 * Measures a document's text in one pass, without parsing: a parser calls itself for each bracket and makes an object of each word, which is what a
 * hostile document is after. It ends just beyond one of `ends`.
 */
export function shapeOfText(document: string, ends: Ends): TextShape {
  const tally = new Tally()
  const shape = { ...tally.most, characters: document.length, tokens: 0 }
  if (document.length > ends.characters) return shape
  for (const [piece] of document.matchAll(pieces)) {
    if (piece.startsWith('#')) continue
    shape.tokens++
    tally.take(piece)
    if (shape.tokens > ends.tokens || tally.most.brackets > ends.brackets) break
  }
  tally.endDefinition()
  return { ...shape, ...tally.most }
}

/** What the next name in a selection is. */
type Next = 'field' | 'spread' | 'type' | 'directive'

const nothing = { fields: 0, aliases: 0, directives: 0, variables: 0, rootFields: 0 }

class Tally {
  most = { brackets: 0, values: 0, operations: 0, fragments: 0, ...nothing }
  /** The definition that is under way. */
  #here = { ...nothing }
  #isFragment = false
  #begins = true
  /** Braces of selections that are open. */
  #selections = 0
  /** Brackets that are open around arguments and variables; what is in them is no selection. */
  #values = 0
  #next: Next = 'field'

  take(piece: string): void {
    if (this.#begins) this.#begin(piece)
    if (this.#values > 0) this.most.values++
    if (piece === '{' || piece === '[' || piece === '(') this.#open(piece)
    else if (piece === '}' || piece === ']' || piece === ')') this.#close()
    else if (piece === '...') this.#spread()
    else if (piece === '@') this.#direct()
    else if (this.#selections === 0) {
      if (piece === '$') this.#here.variables++
    } else if (this.#values === 0) {
      if (piece === ':') this.#alias()
      else this.#name(piece)
    }
  }

  endDefinition(): void {
    const { most } = this
    for (const what of ['fields', 'aliases', 'directives', 'variables', 'rootFields'] as const)
      most[what] = Math.max(most[what], this.#here[what])
    this.#here = { ...nothing }
    this.#begins = true
  }

  /** Descriptions stand before a definition. */
  #begin(piece: string): void {
    if (piece.startsWith('"')) return
    this.#begins = false
    this.#isFragment = !/^(query|mutation|subscription|\{)$/.test(piece)
    if (this.#isFragment) this.most.fragments++
    else this.most.operations++
  }

  #open(bracket: string): void {
    if (this.#values > 0 || bracket !== '{') this.#values++
    else this.#selections++
    this.#next = 'field'
    this.most.brackets = Math.max(this.most.brackets, this.#selections + this.#values)
  }

  #close(): void {
    this.#next = 'field'
    if (this.#values > 0) this.#values--
    else if (this.#selections > 0 && --this.#selections === 0) this.endDefinition()
  }

  #spread(): void {
    this.#here.fields++
    this.#next = 'spread'
  }

  #direct(): void {
    this.#here.directives++
    this.#next = 'directive'
  }

  #name(name: string): void {
    if (this.#next === 'field') this.#count(1)
    this.#next = this.#next === 'spread' && name === 'on' ? 'type' : 'field'
  }

  /** What stood before is the alias, and what comes is the field. */
  #alias(): void {
    this.#here.aliases++
    this.#count(-1)
  }

  #count(fields: 1 | -1): void {
    this.#here.fields += fields
    if (this.#selections === 1 && !this.#isFragment) this.#here.rootFields += fields
  }
}
