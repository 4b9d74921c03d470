import { defineConfig } from 'vitest/config'
import outside from './vitest.outside.config.ts'

/** What installs the packages, `npm run test:packages`: it needs the package registry, which not every CI reaches. */
export default defineConfig({ test: { ...outside.test, include: ['test/**/*.registry.ts'] } })
