import { run } from './cli/program.ts'

process.exitCode = await run(['serve', ...process.argv.slice(2)])
