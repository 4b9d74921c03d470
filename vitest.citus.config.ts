import { defineConfig } from 'vitest/config'

/**
 * What runs on Citus, `npm run test:citus`: each test file makes databases of its own on the coordinator and the
 * workers.
 */
export default defineConfig({
  test: {
    globalSetup: ['test/support/database/citus.ts', 'test/support/database/postgres.ts'],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 20 } },
    experimental: { viteModuleRunner: false },
    include: [
      'test/**/*.citus.ts',
      'test/{spec,export,schema,catalogue}/**/*.test.ts',
      'test/faults/concurrency/*.test.ts',
      'test/import/{import,import-file}.test.ts',
      'test/cli/{backup,changes,revert}.test.ts',
      'test/random/{property,ledger,products}/*.test.ts',
      'test/random/readiness.test.ts',
    ],
    // The last two are about plans of one server.
    exclude: ['test/export/formulas.test.ts', 'test/catalogue/changes/plans.test.ts', 'test/catalogue/search.test.ts'],
  },
})
