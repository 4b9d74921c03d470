import { CatalogueError } from '../../errors.ts'
import { lazy } from '../../lazy.ts'
import { estimateSteps, maxCharacters, patternOf } from './patterns.ts'

/** Patterns take the steps of their programs, times the characters of values: in 1 ms 10,000, or 1,500 of the worst. */
export const maxPatternWork = 10_000_000

/** To compile a pattern takes as long as to match it with so many characters. */
export const charactersToCompile = 100

export class PatternWork {
  readonly #max: number
  #work = 0

  constructor(max = maxPatternWork) {
    this.#max = max
  }

  /** Throws, before the work is done, if it is too much for one request. */
  add(work: number): void {
    this.#work += work
    if (this.#work <= this.#max) return
    // A request that is too much for its thread was routed by definitions that have changed since.
    if (this.#max < maxPatternWork) throw new CatalogueError('unavailable', [{ details: changed }])
    throw new CatalogueError('payload_too_large', [{ details: tooMuch }])
  }
}

const changed = 'the attribute definitions of the store have just changed; try again'
const tooMuch = `the patterns of attributes may take at most ${maxPatternWork} steps in one request (those of a pattern for each character of a value); these take more: send fewer or shorter values, or define simpler patterns`

/** What it takes to compile patterns, or any other texts. */
export function workToCompile(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + estimateSteps(text) * charactersToCompile, 0)
}

/** Makes the function that counts what values take, by attribute name. Compiles the patterns of the first values. */
export function patternCounter(
  definitions: readonly { name: string; pattern: string | null }[],
  work: PatternWork | undefined,
) {
  const steps = new Map<string, () => number>()
  for (const { name, pattern } of work ? definitions : []) {
    if (pattern === null) continue
    const compiled = () => {
      work?.add(workToCompile([pattern]))
      return patternOf(pattern).programSize()
    }
    steps.set(name, lazy(compiled))
  }
  return (values: Readonly<Record<string, unknown>> | null | undefined): void => {
    if (steps.size === 0) return
    for (const name in values) {
      const [value, stepsOf] = [values[name], steps.get(name)]
      if (stepsOf && typeof value === 'string') work?.add(stepsOf() * Math.min(value.length, maxCharacters))
    }
  }
}
