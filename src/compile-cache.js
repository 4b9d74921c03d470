// Node keeps compiled code, types stripped, from where it is told to: every start but the first takes half the time. The npm scripts load this before the programs, and it is
// plain JavaScript: a TypeScript file that came first would bring the stripper of types into the process, 60 ms and 17 MB. Code is kept beside the packages, where
// only who may change them can write; where that folder cannot be written, all is as without.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))
