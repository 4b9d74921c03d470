import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { CatalogueError } from '../../errors.ts'
import { createPauses } from '../../request/pauses.ts'

/** Compiling a class of this many characters takes 6 ms. */
const maxPatternLength = 10_000
/** The size of the program of a pattern. Matching takes up to as many steps for each character of a value. */
const maxSteps = 1_000
/** Steps times characters: matching a value takes about 25 ms at most. */
const maxWorkOfValue = 250_000
/** The length of a value that is matched with a small pattern. */
const maxCharacters = 4_096

/** Cached, because a compiled pattern learns from each match. */
const compiled = new LRUCache<string, RE2JS>({ max: 100 })

/** The compiled pattern. Throws the error of the compiler. */
export function patternOf(text: string): RE2JS {
  const known = compiled.get(text) ?? RE2JS.compile(text)
  compiled.set(text, known)
  return known
}

/** The fault of a pattern to define, or undefined. */
export function patternFault(text: string): string | undefined {
  if (text.length > maxPatternLength) return `must have at most ${maxPatternLength} characters; got ${text.length}`
  // An estimate comes first, because compiling 200,000 steps takes seconds.
  if (stepsOf(text) > maxSteps) return tooManySteps
  try {
    return patternOf(text).programSize() > maxSteps ? tooManySteps : undefined
  } catch (error) {
    return `must be in RE2 syntax: ${error instanceof Error ? error.message : ''}`
  }
}

const tooManySteps = `must have at most ${maxSteps} steps: repeat fewer times, or use maxLength`

/** The maximum length of a value of an attribute with the pattern. */
export function maxCharactersFor(pattern: string): number {
  return Math.min(maxCharacters, Math.floor(maxWorkOfValue / stepsOf(pattern)))
}

/** A pattern to compile, and the values to match it with. */
export interface PatternTask {
  pattern: string
  values: readonly string[]
}

/** The fault of a pattern, if any, and the values that it does not match: all of them if it has a fault. */
export interface PatternResult {
  fault: string | undefined
  mismatches: string[]
}

/** Compiles patterns and matches their values. Calls `onPause` every few milliseconds. */
export async function runPatterns(tasks: readonly PatternTask[], onPause = () => {}): Promise<PatternResult[]> {
  const pauses = createPauses()
  const rest = async () => {
    const pause = pauses()
    if (pause) onPause()
    await pause
  }
  const results: PatternResult[] = []
  for (const { pattern, values } of tasks) {
    const fault = patternFault(pattern)
    const mismatches: string[] = []
    results.push({ fault, mismatches })
    await rest()
    for (const value of values) {
      if (fault !== undefined || !patternOf(pattern).testExact(value)) mismatches.push(value)
      await rest()
    }
  }
  return results
}

/** A token that is not closed extends to the end, so that the expression never backtracks. */
const tokens =
  /\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*(?:\}|$)|\\.|\[\^?\]?(?:\\.?|\[:\w+:\]|[^\]\\])*(?:\]|$)|\((?:\?[^:)>]*(?:[:)>]|$))?|\)|\{\d+(?:,\d*)?\}|[*+?|]|./gsu

/** About the size of the program: a character or class is one step, a repetition as many as it repeats. */
export function stepsOf(pattern: string): number {
  const open: number[] = []
  let sum = 0
  let last = 0
  for (const [token] of pattern.matchAll(tokens)) {
    if (token.startsWith('(') && !token.endsWith(')')) {
      open.push(sum)
      sum = 0
    } else if (token === ')') {
      last = sum + 2
      sum = (open.pop() ?? 0) + last
    } else if (/^\{\d/.test(token)) {
      const counts = token.match(/\d+/g)?.map(Number) ?? []
      sum += last * (Math.max(1, ...counts) - 1)
      last *= Math.max(1, ...counts)
    } else {
      last = token.startsWith('\\Q') ? token.length : 1
      sum += last
    }
  }
  return sum + open.reduce((all, steps) => all + steps, 0)
}

/** Work is the steps of a pattern times the characters of its values. 10,000 take 1 ms, or 7 ms at worst. */
const lightWork = 50_000
const maxWorkOfRequest = 20_000_000
/** Compiling a pattern takes as long as matching it with this many characters. */
const charactersToCompile = 100
/** The work of compiling a character of a class. */
const workToRead = 6

/** The pattern matching of a request. */
export interface RequestPatterns {
  /** Runs more than little work, in another thread. */
  readonly runHeavy?: typeof runPatterns | undefined
  /** The work of its bounded tasks so far. */
  work: number
}

/** Runs tasks if the work of the whole request is within the bound. Otherwise throws `payload_too_large`. */
export function runBounded(patterns: RequestPatterns, tasks: readonly PatternTask[]): Promise<PatternResult[]> {
  const work = workOf(tasks)
  patterns.work += work
  if (patterns.work > maxWorkOfRequest) throw new CatalogueError('payload_too_large', tooMuch)
  return runTasks(patterns, tasks, work)
}

/** Runs tasks without a bound: little work in this thread, more by `runHeavy`. */
export function runTasks({ runHeavy }: RequestPatterns, tasks: readonly PatternTask[], work = workOf(tasks)) {
  return runHeavy && work > lightWork ? runHeavy(tasks) : runPatterns(tasks)
}

const tooMuch = `the patterns of attributes may take at most ${maxWorkOfRequest} steps in one request (those of a pattern for each character of a value); these take more: send fewer or shorter values, or define simpler patterns`

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
