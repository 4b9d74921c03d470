import { Command, CommanderError } from 'commander'
import { adviceOn } from './advice.ts'
import { addHelp, commandsOf } from './help.ts'

/** What a command ends with. 0: all well; 1: some rows failed, or a check found a difference, or it could not be done; 2: wrong usage. */
export type ExitCode = 0 | 1 | 2

/** What a command works with besides its own options. */
export interface CommandContext {
  env: Record<string, string | undefined>
  /** Ends the program with this code once the command is done. */
  end(code: ExitCode): void
}

/** The commands, each loaded when it is wanted: what one needs would delay the start of every other. */
const commands: Readonly<Record<string, () => Promise<(program: Command, context: CommandContext) => void>>> = {
  serve: async () => (await import('./serve.ts')).addServe,
  migrate: async () => (await import('./migrate.ts')).addMigrate,
  import: async () => (await import('./import.ts')).addImport,
  export: async () => (await import('./export.ts')).addExport,
  check: async () => (await import('./check.ts')).addCheck,
  token: async () => (await import('./token.ts')).addToken,
  'filter-service': async () => (await import('./filter-service.ts')).addFilterService,
  completion: async () => (await import('./completion.ts')).addCompletion,
}

/** The command line with all its commands and their help, or with the one command that is wanted. */
export async function createProgram(context: CommandContext, wanted?: string): Promise<Command> {
  const program = new Command('catalog').description(
    'The catalogue gateway: stores, products and assets in PostgreSQL.',
  )
  const one = wanted !== undefined && wanted !== 'completion' ? commands[wanted] : undefined
  const loaded = await Promise.all((one ? [one] : Object.values(commands)).map((load) => load()))
  for (const add of loaded) add(program, context)
  addHelp(program)
  for (const { command } of commandsOf(program)) command.exitOverride()
  return program.exitOverride()
}

/** Runs the command line and returns its exit code. Errors are a sentence on stderr. */
export async function run(args: readonly string[]): Promise<ExitCode> {
  let exitCode: ExitCode = 0
  const context: CommandContext = {
    env: process.env,
    end: (code) => {
      exitCode = code
    },
  }
  // Whoever reads may have had enough: `catalog … | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') fail(error)
  })
  const told = new Set<unknown>()
  const fail = (error: unknown) => {
    process.exitCode = exitCode = 1
    if (!told.has(error)) process.stderr.write(`catalog: ${adviceOn(error)}\n`)
    told.add(error)
    return exitCode
  }
  const program = await createProgram(context, args[0])
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    return fail(error)
  }
}
