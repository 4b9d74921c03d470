import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { createPauses } from '../pauses.ts'

/** The longest pattern: to compile one that is a class of so many characters takes 6 ms. */
export const maxPatternLength = 10_000
/** The program of a pattern: each character of a value may take as many steps. */
export const maxSteps = 1_000
/** A value is matched in at most about 25 ms: steps times characters. */
const maxWork = 250_000
/** The longest value where a pattern holds. */
const maxCharacters = 4_096

/** Matching adds to what a compiled pattern knows: it is compiled once. */
const compiled = new LRUCache<string, RE2JS>({ max: 100 })

/** The compiled pattern. Throws what is wrong with it. */
export function patternOf(text: string): RE2JS {
  const known = compiled.get(text) ?? RE2JS.compile(text)
  compiled.set(text, known)
  return known
}

/** What is wrong with a pattern that is to be defined, or undefined. */
export function patternFault(text: string): string | undefined {
  if (text.length > maxPatternLength) return `must have at most ${maxPatternLength} characters; got ${text.length}`
  // Estimated first: to compile 200,000 steps takes seconds.
  if (stepsOf(text) > maxSteps) return tooManySteps
  try {
    return patternOf(text).programSize() > maxSteps ? tooManySteps : undefined
  } catch (error) {
    return `must be in RE2 syntax: ${error instanceof Error ? error.message : ''}`
  }
}

const tooManySteps = `must have at most ${maxSteps} steps: repeat fewer times, or use maxLength`

/** How long a value may be that the pattern is matched with. */
export function maxCharactersFor(pattern: string): number {
  return Math.min(maxCharacters, Math.floor(maxWork / stepsOf(pattern)))
}

/** A pattern to compile, and the values to match it with. */
export interface PatternTask {
  pattern: string
  values: readonly string[]
}

/** What is wrong with a pattern, if anything, and the values that it does not match: all, if it is wrong. */
export interface PatternResult {
  fault: string | undefined
  mismatches: string[]
}

/** Compiles patterns and matches their values. `onPause` is called every few milliseconds. */
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

/** What is not closed goes to the end: nothing is tried twice. */
const tokens =
  /\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*(?:\}|$)|\\.|\[\^?\]?(?:\\.?|\[:\w+:\]|[^\]\\])*(?:\]|$)|\((?:\?[^:)>]*(?:[:)>]|$))?|\)|\{\d+(?:,\d*)?\}|[*+?|]|./gsu

/** About how many steps a program has: a character or class is one, a repetition as many as it repeats. */
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
