import { defineConfig } from 'vitest/config'
import { LongFirst } from './test/support/long-first.ts'
import { retriedTests } from './test/support/retried-tests.ts'

/** Compiled code is kept, as `bin/catalog` keeps it: files are loaded as fast as in production. */
process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/compiled'

/** Most of their time they wait for deadlines, lost heartbeats and pauses. */
const deadlines = [
  'database/{connection,hosts,replicas}',
  'event-loop/thread-pool',
  'global-config/global-config',
  'http/{parser-errors,unavailable,unread-answers}',
  'jobs/{jobs,queue,uploads}',
  'security/{jwt,tokens}',
  'security/isolation/token-clock',
].map((name) => `test/${name}.test.ts`)

/** They follow the feed, which transactions of other tests on the server would delay. */
const live = ['live/**/*', 'webhooks/**/*', 'cli/{listen,webhooks}'].map((name) => `test/${name}.test.ts`)

/** They kill processes, cut connections, fill disks, attack and search long: `npm run test:faults`, not `npm test`. */
const faults = [
  'faults/**/*',
  'app/cluster/workers',
  'app/rolling-upgrade',
  'embedded-postgres/embedded-postgres',
  'import/{lost-database,memory,resume}',
  'security/isolation/{jobs-ended,jobs-hostile,shortages,two-tenants}',
].map((name) => `test/${name}.test.ts`)

const checks = 'test/checks.test.ts'

/** The most telling tests that together take about 10 s: one file of each kind, and most requirements. */
const fast = [
  'test/architecture.test.ts',
  'test/spec/{stores,products,attributes,list-assets,add-assets,delete-assets,unlink-assets,graphql,auth}.test.ts',
  'test/http/audit.test.ts',
  'test/fair-share/fair-queue.test.ts',
  'test/graphql/document-size.test.ts',
  'test/import/{map-row,usage}.test.ts',
]

/** What runs on Citus too: each file makes databases of its own on the coordinator and the workers. */
const citus = [
  'test/**/*.citus.ts',
  'test/{spec,export,schema,catalogue}/**/*.test.ts',
  'test/faults/{network,concurrency/*}.test.ts',
  'test/import/{import,import-file}.test.ts',
  'test/cli/{backup,changes,revert,store-backup}.test.ts',
  'test/random/{property,ledger,products}/*.test.ts',
  'test/random/readiness.test.ts',
]
/** Not on Citus: the last two are about plans of one server. */
const oneServer = ['export/formulas', 'catalogue/changes/plans', 'catalogue/search'].map(
  (name) => `test/${name}.test.ts`,
)

/** CI's machines may be busy. */
const patience = process.env.CI ? 3 : 1

interface ProjectOptions {
  exclude?: string[]
  /** Files of one worker share their modules where it is false, which saves a second a file. */
  isolate?: boolean
  /** These run first, five files at a time; then the others, three at a time. */
  waits?: boolean
}

const project = (name: string, include: string[], { exclude = [], isolate = false, waits }: ProjectOptions = {}) => ({
  test: {
    name,
    include,
    exclude,
    isolate,
    // At least one more than the smallest machines have cores: files wait for PostgreSQL, a process or a pause.
    maxWorkers: waits ? 5 : 3,
    sequence: { groupOrder: waits ? 0 : 1 },
    // The output ends with the tests that needed it.
    retry: process.env.CI ? 2 : 0,
    testTimeout: 120_000 * patience,
    hookTimeout: 120_000 * patience,
    // For conditions that are waited for: a busy machine takes its time, a quiet one ends the waiting at once.
    expect: { poll: { timeout: 30_000 * patience, interval: 20 } },
    // Node itself loads the sources, as it does in production: its types are stripped, nothing is bundled.
    experimental: { viteModuleRunner: false },
  },
})

/**
 * Projects that exist only where they are named. `fast`, `spec` and `citus` have files of the other projects; `outside`
 * needs programs from outside the project, and `packages` a package registry, which not every CI reaches.
 */
const optional = [
  project('fast', fast),
  project('spec', ['test/spec/**/*.test.ts']),
  project('outside', ['test/**/*.outside.ts'], { isolate: true }),
  project('packages', ['test/**/*.registry.ts'], { isolate: true }),
  project('citus', citus, { exclude: oneServer, isolate: true }),
]
const isNamed = (name: string) => process.argv.some((argument) => argument === name || argument === `--project=${name}`)

if (isNamed('citus') && !process.env.CITUS_URL) {
  throw new Error('CITUS_URL must name a database on a coordinator of Citus: test/citus/start.sh starts one')
}

export default defineConfig({
  test: {
    reporters: ['default', retriedTests()],
    globalSetup: 'test/support/database/postgres.ts',
    sequence: { sequencer: LongFirst },
    projects: [
      ...optional.filter(({ test }) => isNamed(test.name)),
      project('checks', [checks], { waits: true }),
      project('deadlines', deadlines, { waits: true }),
      project('live', live, { waits: true }),
      project('faults', faults, { isolate: true }),
      // One project: each project has workers of its own, which load all modules again.
      project('main', ['test/**/*.test.ts'], { exclude: [checks, ...deadlines, ...live, ...faults] }),
    ],
  },
})
