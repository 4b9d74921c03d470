import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** The pages in a real browser: `npm run test:browser`, where Chromium is installed (CHROMIUM names it, else /usr/bin/chromium). */
export default defineConfig({ test: { ...base.test, include: ['test/browser/**/*.browser.ts'] } })
