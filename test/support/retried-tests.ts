import { appendFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/**
 * Ends the output of a run with the tests that needed a retry, and why. TEST_SUMMARY names a file: a line for each run
 * is added, from which `.ci/run` makes one list.
 */
export function retriedTests(): Reporter {
  return {
    onTestRunEnd: (modules) => {
      const tests = modules.flatMap((module) => [...module.children.allTests()])
      const retried = tests.filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0).map(withReason)
      for (const line of retried) process.stdout.write(`${line}\n`)
      const count = (state: string) => tests.filter((test) => test.result().state === state).length
      const failedHooks = modules.filter((module) => module.state() === 'failed' && !hasFailedTest(module)).length
      const run = { passed: count('passed'), failed: count('failed') + failedHooks, skipped: count('skipped'), retried }
      const file = process.env.TEST_SUMMARY
      if (file) appendFileSync(file, `${JSON.stringify(run)}\n`)
    },
  }
}

function withReason(test: TestCase): string {
  const { state, errors = [] } = test.result()
  const [line = ''] = errors[0]?.message.split('\n') ?? []
  const at = errors[0]?.stacks?.[0]?.line
  const where = at === undefined ? '' : ` (line ${at})`
  return `${test.module.relativeModuleId} > ${test.fullName}: ${state} after a retry: ${line.slice(0, 200)}${where}`
}

function hasFailedTest(module: TestModule): boolean {
  return [...module.children.allTests('failed')].length > 0
}
