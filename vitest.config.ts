import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/postgres.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two workers: each has a gateway of its own, and the machines that run this have few cores.
    maxWorkers: 2,
    // Node itself loads the sources, as it does in production: its types are stripped, nothing is bundled.
    experimental: { viteModuleRunner: false },
  },
})
