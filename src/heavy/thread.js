// In plain JavaScript for the same reason as `src/compile-cache.js`.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)))
const { serveHeavy } = await import('./serve-heavy.ts')
serveHeavy(parentPort, workerData)
