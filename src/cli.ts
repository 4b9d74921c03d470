import './app/compile-cache.js'

const { run } = await import('./cli/program.ts')
await run(process.argv.slice(2))
