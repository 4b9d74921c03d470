import './compile-cache.js'

const { run } = await import('./cli/program.ts')
process.exitCode = await run(['serve', ...process.argv.slice(2)])
