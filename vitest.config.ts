import { defineConfig } from 'vitest/config'

const folders = ['spec', 'random', 'faults', 'security']

/** The most telling tests that together take about 10 s: one file of each kind, and most requirements. */
const fast = [
  'test/architecture.test.ts',
  'test/spec/{stores,products,attributes,list-assets,add-assets,delete-assets,unlink-assets,beyond,graphql,auth}.test.ts',
  'test/http/audit.test.ts',
  'test/database/fair-queue.test.ts',
  'test/graphql/text-shape.test.ts',
  'test/import/{map-row,read-rows,usage}.test.ts',
  'test/security/graphql-cop.test.ts',
  'test/faults/idempotency.test.ts',
]

/** Files of one worker share their modules where `isolate` is false, which saves a second a file. */
const project = (name: string, include: string[], { exclude = [] as string[], isolate = true } = {}) => ({
  test: {
    name,
    include,
    exclude,
    isolate,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Node itself loads the sources, as it does in production: its types are stripped, nothing is bundled.
    experimental: { viteModuleRunner: false },
  },
})

/** `fast` has files of the other projects: it is a project only where it is named, so that all tests run each file once. */
const isFast = process.argv.some((argument) => /^(--project=)?fast$/.test(argument))

export default defineConfig({
  test: {
    globalSetup: 'test/support/postgres.ts',
    // Two workers: each has a gateway of its own, and the machines that run this have few cores.
    maxWorkers: 2,
    projects: [
      ...(isFast ? [project('fast', fast, { isolate: false })] : []),
      ...folders.map((name) => project(name, [`test/${name}/**/*.test.ts`], { isolate: name !== 'spec' })),
      project('modules', ['test/**/*.test.ts'], { exclude: folders.map((name) => `test/${name}/**`) }),
    ],
  },
})
