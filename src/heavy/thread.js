// In plain JavaScript for the same reason as `src/compile-cache.js`.
import { enableCompileCache } from 'node:module'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'

// Where cores are few, the thread that serves everybody goes first. Elsewhere than on Linux this would be the whole process.
if (process.platform === 'linux') setPriority(5)
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)))
const { serveHeavy } = await import('./serve-heavy.ts')
serveHeavy(parentPort, workerData)
