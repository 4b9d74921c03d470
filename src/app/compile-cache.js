// Node keeps compiled code, with types stripped, in this folder: every start but the first takes half the time.
// `bin/catalog` loads this file before the program, and it is plain JavaScript: a TypeScript file that came first would
// load Node's type stripper, 60 ms and 17 MB. The folder is next to the packages, which only their owner can change;
// where it cannot be written, nothing is cached.
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  const own = 'in the repository use "npm run catalog -- …", which runs its own Node.js'
  process.stderr.write(`catalog: it needs Node.js 22.18 or newer; this is ${process.versions.node} (${own})\n`)
  process.exit(1)
}
module.enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)))
