#!/usr/bin/env -S node --min-semi-space-size=8 --max-semi-space-size=8
import './compile-cache.js'

const { run } = await import('./cli/program.ts')
process.exitCode = await run(process.argv.slice(2))
