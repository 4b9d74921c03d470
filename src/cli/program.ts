import { Command, CommanderError } from 'commander'
import { ownVersion } from '../database/version.ts'
import { adviceOn } from './advice.ts'
import { addHelp } from './help.ts'

/** The commands. Each is loaded only when it runs: the modules of one would delay the start of every other. */
const commands: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  serve: async () => (await import('./serve.ts')).addServe,
  migrate: async () => (await import('./migrate.ts')).addMigrate,
  import: async () => (await import('./import/import.ts')).addImport,
  export: async () => (await import('./export.ts')).addExport,
  changes: async () => (await import('./changes/changes.ts')).addChanges,
  request: async () => (await import('./changes/request.ts')).addRequest,
  product: async () => (await import('./changes/product.ts')).addProduct,
  revert: async () => (await import('./changes/revert.ts')).addRevert,
  requirements: async () => (await import('./requirements/requirements.ts')).addRequirements,
  backup: async () => (await import('./backup/backup.ts')).addBackup,
  restore: async () => (await import('./backup/restore.ts')).addRestore,
  check: async () => (await import('./check.ts')).addCheck,
  distribute: async () => (await import('./distribute/distribute.ts')).addDistribute,
  store: async () => (await import('./store/store.ts')).addStore,
  job: async () => (await import('./job/job.ts')).addJob,
  token: async () => (await import('./token/token.ts')).addToken,
  config: async () => (await import('./config/config.ts')).addConfig,
  'report-user': async () => (await import('./report-user/report-user.ts')).addReportUsers,
  'mcp-config': async () => (await import('./mcp/mcp-config.ts')).addMcpConfig,
  'filter-service': async () => (await import('./filter-service.ts')).addFilterService,
}

/** The command line with the help of all its commands, or with the one command of the name. */
export async function createProgram(name = ''): Promise<Command> {
  const program = new Command('catalog').exitOverride().version(ownVersion(), '--version', 'print the version')
  program.description('The catalogue gateway: stores, products and assets in PostgreSQL.')
  const one = commands[name]
  for (const load of one ? [one] : Object.values(commands)) (await load())(program)
  return addHelp(program)
}

/** Runs the command line and sets the exit code. */
export async function run(args: readonly string[]): Promise<void> {
  let reported: unknown
  const fail = (error: unknown) => {
    if (error !== reported) process.stderr.write(`catalog: ${adviceOn(error)}\n`)
    reported = error
    process.exitCode = 1
  }
  // A command that writes to stdout gets its errors too. A reader may close the pipe early: `catalog … | head`.
  let hasReader = true
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') hasReader = false
    else fail(error)
  })
  try {
    const program = await createProgram(args[0])
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    const isOfPipe = !hasReader && (error as NodeJS.ErrnoException).code === 'EPIPE'
    if (isOfPipe) return
    if (!(error instanceof CommanderError)) fail(error)
    else if (error.exitCode !== 0) process.exitCode = 2
  }
}
