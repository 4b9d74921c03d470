import { Command, CommanderError } from 'commander'
import { adviceOn } from './advice.ts'
import type { CommandContext, ExitCode } from './context.ts'
import { addHelp, commandsOf } from './help.ts'

/** The commands. Each is loaded only when it runs: the modules of one would delay the start of every other. */
const commands: Readonly<Record<string, () => Promise<(program: Command, context: CommandContext) => void>>> = {
  serve: async () => (await import('./serve.ts')).addServe,
  migrate: async () => (await import('./migrate.ts')).addMigrate,
  import: async () => (await import('./import.ts')).addImport,
  export: async () => (await import('./export.ts')).addExport,
  check: async () => (await import('./check.ts')).addCheck,
  token: async () => (await import('./token.ts')).addToken,
  'filter-service': async () => (await import('./filter-service.ts')).addFilterService,
}

/** The command line with the help of all its commands, or with the one command of the name. */
export async function createProgram(context: CommandContext, name = ''): Promise<Command> {
  const program = new Command('catalog').description(
    'The catalogue gateway: stores, products and assets in PostgreSQL.',
  )
  const one = commands[name]
  for (const load of one ? [one] : Object.values(commands)) (await load())(program, context)
  addHelp(program)
  for (const { command } of commandsOf(program)) command.exitOverride()
  return program.exitOverride()
}

/** Runs the command line and returns its exit code. Errors are printed as one sentence on stderr. */
export async function run(args: readonly string[]): Promise<ExitCode> {
  let exitCode: ExitCode = 0
  const end = (code: ExitCode) => {
    exitCode = code
  }
  // An error of stdout reaches a command that writes to it and the listener below.
  const reported = new Set<unknown>()
  const fail = (error: unknown): ExitCode => {
    if (!reported.has(error)) process.stderr.write(`catalog: ${adviceOn(error)}\n`)
    reported.add(error)
    return 1
  }
  // A reader may close the pipe early: `catalog … | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = exitCode = fail(error)
  })
  const program = await createProgram({ env: process.env, end }, args[0])
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    return fail(error)
  }
}
