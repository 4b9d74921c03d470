import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

/** The rows of docs/reliability.md: what runs each, and what makes it long where TORTURE does not. */
const rows: Record<string, { files: string[]; title?: string; env?: Record<string, string> }> = {
  1: { files: ['test/random/fuzz'], env: { FUZZ_REQUESTS: '20000' } },
  2: { files: ['test/faults/crash.test.ts'], title: 'kill -9 of the gateway' },
  3: { files: ['test/faults/crash.test.ts'], title: 'kill -9 of PostgreSQL' },
  4: { files: ['test/faults/concurrency'], env: { WRITERS_ROUNDS: '30', WRITERS_SEED: 'random' } },
  5: { files: ['test/faults/idempotency.test.ts'] },
  6: { files: ['test/faults/downstream.test.ts'], title: 'filter' },
  7: { files: ['test/faults/downstream.test.ts'], title: 'circuit breaker' },
  8: { files: ['test/faults/overload.test.ts'] },
  9: { files: ['test/faults/connections.test.ts'], title: 'kept connections' },
  10: { files: ['test/faults/connections.test.ts'], title: 'slow' },
  11: { files: ['test/faults/stopping.test.ts'] },
  12: { files: ['test/faults/event-loop.test.ts'] },
  13: { files: ['test/faults/soak.test.ts'] },
  14: { files: ['test/security/matrix.test.ts'] },
  15: { files: ['test/security/tokens.test.ts'], title: 'revocation' },
  16: { files: ['test/security/canary.test.ts'] },
  17: { files: ['test/security/hostile-documents.test.ts'] },
  import: {
    files: ['test/import/resume.test.ts', 'test/import/lost-database.test.ts'],
    title: 'killed',
    env: { KILLS: '10' },
  },
  isolation: { files: ['test/security/isolation/two-tenants.test.ts'] },
  model: { files: ['test/random/property'], env: { PROPERTY_RUNS: '1000', PROPERTY_SEED: 'random' } },
  network: { files: ['test/faults/network.test.ts'] },
  streams: { files: ['test/faults/streams.test.ts'] },
}

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, minutes: { type: 'string' } },
})

/**
 * `npm run torture [-- ROW…]`: the long form of the named rows, or of all. Ends with 1 when a row fails. `--seed`
 * repeats the random choices of a run, `--minutes` is how long the random attacks of the row `isolation` take, or the
 * streams of the row `streams` come and go.
 */
function torture(wanted: readonly string[]): number {
  const unknown = wanted.filter((name) => !(name in rows))
  if (unknown.length > 0) {
    process.stderr.write(`the rows are ${Object.keys(rows).join(', ')}; got ${unknown.join(', ')}\n`)
    return 2
  }
  const failed = (wanted.length > 0 ? wanted : Object.keys(rows)).filter((name) => !passes(name))
  if (failed.length > 0) process.stderr.write(`failed: row ${failed.join(', row ')}\n`)
  return failed.length > 0 ? 1 : 0
}

function passes(name: string): boolean {
  const { files, title, env } = rows[name] ?? { files: [] }
  process.stdout.write(`\n== row ${name}\n`)
  const command = ['run', ...files, ...(title ? ['-t', title] : [])]
  const { status } = spawnSync('vitest', command, {
    stdio: 'inherit',
    env: {
      ...process.env,
      TORTURE: 'long',
      ...(given.seed && { TORTURE_SEED: given.seed }),
      ...(given.minutes && { TORTURE_MINUTES: given.minutes }),
      ...env,
    },
  })
  return status === 0
}

process.exitCode = torture(positionals)
