import { Command, CommanderError } from 'commander'
import { adviceOn } from './advice.ts'
import { addCheck } from './check.ts'
import { addCompletion } from './completion.ts'
import { addExport } from './export.ts'
import { addFilterService } from './filter-service.ts'
import { addHelp, commandsOf } from './help.ts'
import { addImport } from './import.ts'
import { addMigrate } from './migrate.ts'
import { addServe } from './serve.ts'
import { addToken } from './token.ts'

/** What a command ends with. 0: all well; 1: some rows failed, or a check found a difference, or it could not be done; 2: wrong usage. */
export type ExitCode = 0 | 1 | 2

/** What a command works with besides its own options. */
export interface CommandContext {
  env: Record<string, string | undefined>
  /** Ends the program with this code once the command is done. */
  end(code: ExitCode): void
}

const commands = [addServe, addMigrate, addImport, addExport, addCheck, addToken, addFilterService, addCompletion]

/** The command line with all its commands and their help. */
export function createProgram(context: CommandContext): Command {
  const program = new Command('catalog').description(
    'The catalogue gateway: stores, products and assets in PostgreSQL.',
  )
  for (const add of commands) add(program, context)
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
  const program = createProgram(context)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    process.stderr.write(`catalog: ${adviceOn(error)}\n`)
    return 1
  }
}
