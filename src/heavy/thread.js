// In plain JavaScript for the same reason as what keeps compiled code, which comes first here too.
import '../compile-cache.js'
import { parentPort, workerData } from 'node:worker_threads'

const { serveHeavy } = await import('./serve-heavy.ts')
serveHeavy(parentPort, workerData)
