import { keepCompiledCode } from './compile-cache.ts'

keepCompiledCode()
const { run } = await import('./cli/program.ts')
process.exitCode = await run(['serve', ...process.argv.slice(2)])
