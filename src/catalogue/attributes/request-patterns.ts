import { CatalogueError } from '../../errors.ts'
import { maxPatternLength, maxSteps, type PatternTask, runPatterns, stepsOf } from './patterns.ts'

/** Work is the steps of a pattern times the characters of its values: 10,000 take 1 ms, or 7 ms at worst. */
const lightWork = 50_000
const maxWork = 20_000_000
/** To compile a pattern takes as long as to match it with so many characters. */
const charactersToCompile = 100
/** The work to read a character of a pattern, which may be one of many in a class. */
const workToRead = 6

/** What one request does with patterns: little of it at once, much of it by `runHeavy`. */
export class RequestPatterns {
  readonly #runHeavy: typeof runPatterns | undefined
  #work = 0

  constructor(runHeavy?: typeof runPatterns) {
    this.#runHeavy = runHeavy
  }

  /** Does work that the request brings, all its operations together. Throws `payload_too_large`, before it is done. */
  runBounded(tasks: readonly PatternTask[]) {
    const work = workOf(tasks)
    this.#work += work
    if (this.#work > maxWork) throw new CatalogueError('payload_too_large', tooMuch)
    return this.run(tasks, work)
  }

  run(tasks: readonly PatternTask[], work = workOf(tasks)) {
    return this.#runHeavy && work > lightWork ? this.#runHeavy(tasks) : runPatterns(tasks)
  }
}

const tooMuch = `the patterns of attributes may take at most ${maxWork} steps in one request (those of a pattern for each character of a value); these take more: send fewer or shorter values, or define simpler patterns`

function workOf(tasks: readonly PatternTask[]): number {
  const charactersOf = (values: readonly string[]) => values.reduce((sum, { length }) => sum + length, 0)
  // What is too long is refused unread.
  const short = tasks.filter(({ pattern }) => pattern.length <= maxPatternLength)
  return short.reduce((sum, { pattern, values }) => {
    return (
      sum +
      workToRead * pattern.length +
      Math.min(stepsOf(pattern), maxSteps) * (charactersToCompile + charactersOf(values))
    )
  }, 0)
}
