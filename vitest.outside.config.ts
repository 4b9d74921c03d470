import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/**
 * What needs programs from outside the project, `npm run test:outside`: the pages in Chromium (CHROMIUM names it, else /usr/bin/chromium) and the
 * README's commands with bash and curl, and the OpenAPI document with the tools of `tools/` (`npm ci --prefix tools` installs them).
 */
export default defineConfig({ test: { ...base.test, include: ['test/**/*.outside.ts'] } })
