import { defineConfig } from 'vitest/config'

/**
 * What needs programs from outside the project, `npm run test:outside`: the pages in Chromium (CHROMIUM names it, else
 * /usr/bin/chromium) and the README's commands with bash and curl, and the OpenAPI document with the tools of `tools/`
 * (`npm ci --prefix tools` installs them).
 */
export default defineConfig({
  test: {
    globalSetup: 'test/support/database/postgres.ts',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Browsers and programs that start on a busy machine may time out.
    retry: process.env.CI ? 1 : 0,
    expect: { poll: { timeout: 30_000, interval: 20 } },
    experimental: { viteModuleRunner: false },
    include: ['test/**/*.outside.ts'],
  },
})
