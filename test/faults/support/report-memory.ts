import { isMainThread } from 'node:worker_threads'

/** Loaded before a gateway: at SIGUSR2 it collects all garbage, and writes the memory of its process to stderr. */
if (isMainThread) {
  process.on('SIGUSR2', () => {
    for (let i = 0; i < 4; i++) gc?.()
    process.stderr.write(`memory: ${JSON.stringify(process.memoryUsage())}\n`)
  })
}
