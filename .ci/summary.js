// Prints the tests of all runs that needed a retry, and then how many tests there were.
import { readFileSync } from 'node:fs'

const runs = readFileSync(process.argv[2] ?? '', 'utf8')
  .split('\n')
  .filter(Boolean)
  .map(JSON.parse)
for (const line of runs.flatMap(({ retried }) => retried)) console.log(line)
const sum = (name) => runs.reduce((total, run) => total + run[name], 0)
const retried = runs.reduce((total, run) => total + run.retried.length, 0)
console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped, ${retried} retried`)
