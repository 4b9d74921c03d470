// Node keeps compiled code, with types stripped, in this folder: every start but the first takes half the time. `bin/catalog` loads this file before
// the program, and it is plain JavaScript: a TypeScript file that came first would load Node's type stripper, 60 ms and 17 MB. The folder is next to the
// packages, which only their owner can change; where it cannot be written, nothing is cached.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)))
