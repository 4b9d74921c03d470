#!/usr/bin/env node
// In plain JavaScript, as the thread of heavy requests is. Node keeps compiled code, types stripped, from where it is told to; a TypeScript file that comes before that
// would load the stripper of types into the process: 60 ms and 17 MB. Code is kept beside the packages, where only who may change them can write.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))
const { run } = await import('./cli/program.ts')
process.exitCode = await run(process.argv.slice(2))
