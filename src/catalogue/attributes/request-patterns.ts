import { CatalogueError } from '../../errors.ts'
import { maxPatternLength, maxSteps, type PatternTask, runPatterns, stepsOf } from './patterns.ts'

/** Work is the steps of a pattern times the characters of its values. 10,000 take 1 ms, or 7 ms at worst. */
const lightWork = 50_000
const maxWork = 20_000_000
/** Compiling a pattern takes as long as matching it with this many characters. */
const charactersToCompile = 100
/** The work of compiling a character of a class. */
const workToRead = 6

/** The pattern matching of a request: little work runs in this thread, more by `runHeavy`. */
export class RequestPatterns {
  readonly #runHeavy: typeof runPatterns | undefined
  #work = 0

  constructor(runHeavy?: typeof runPatterns) {
    this.#runHeavy = runHeavy
  }

  /** Runs tasks if the work of the whole request is within the bound. Otherwise throws `payload_too_large`. */
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
  // A pattern that is too long is refused without reading it.
  const short = tasks.filter(({ pattern }) => pattern.length <= maxPatternLength)
  return short.reduce((sum, { pattern, values }) => {
    return (
      sum +
      workToRead * pattern.length +
      Math.min(stepsOf(pattern), maxSteps) * (charactersToCompile + charactersOf(values))
    )
  }, 0)
}
