import { Command, CommanderError } from 'commander'
import { ownVersion } from '../database/version.ts'
import { CatalogueError } from '../errors.ts'
import { UsageError } from '../import/usage-error.ts'
import { adviceOn, hintAt } from './advice.ts'
import { addHelp } from './help.ts'

/** The commands by topic. A file is loaded when a command of it runs: its modules would delay the start of others. */
const topics: Readonly<Record<string, Readonly<Record<string, () => Promise<(program: Command) => void>>>>> = {
  'Run the gateway:': {
    serve: async () => (await import('./commands/serve.ts')).addServe,
    migrate: async () => (await import('./commands/database.ts')).addMigrate,
    config: async () => (await import('./commands/config.ts')).addConfig,
    backup: async () => (await import('./commands/backup.ts')).addBackup,
    restore: async () => (await import('./commands/backup.ts')).addRestore,
    check: async () => (await import('./commands/check.ts')).addCheck,
    distribute: async () => (await import('./commands/database.ts')).addDistribute,
    'filter-service': async () => (await import('./commands/serve.ts')).addFilterService,
  },
  'Stores and products:': {
    store: async () => (await import('./commands/store.ts')).addStore,
    import: async () => (await import('./commands/import.ts')).addImport,
    export: async () => (await import('./commands/export.ts')).addExport,
    job: async () => (await import('./commands/job.ts')).addJob,
    product: async () => (await import('./commands/ledger/product.ts')).addProduct,
    requirements: async () => (await import('./commands/requirements.ts')).addRequirements,
  },
  'Changes:': {
    changes: async () => (await import('./commands/ledger/changes.ts')).addChanges,
    request: async () => (await import('./commands/ledger/changes.ts')).addRequest,
    revert: async () => (await import('./commands/ledger/revert.ts')).addRevert,
    listen: async () => (await import('./commands/live/listen.ts')).addListen,
    webhook: async () => (await import('./commands/live/webhook.ts')).addWebhook,
  },
  'Access:': {
    token: async () => (await import('./commands/access/token.ts')).addToken,
    'report-user': async () => (await import('./commands/access/report-user.ts')).addReportUsers,
    'mcp-config': async () => (await import('./commands/access/mcp-config.ts')).addMcpConfig,
  },
}

/** The command line with the help of all its commands, or with the one command of the name. */
export async function createProgram(name = ''): Promise<Command> {
  const program = new Command('catalog').exitOverride().version(ownVersion(), '--version', 'print the version')
  program.description('The catalogue gateway: stores, products and assets in PostgreSQL.')
  const isKnown = Object.values(topics).some((commands) => Object.hasOwn(commands, name))
  for (const [topic, commands] of Object.entries(topics)) {
    program.commandsGroup(topic)
    for (const [known, load] of Object.entries(commands)) if (known === name || !isKnown) (await load())(program)
  }
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
  let running: Command | undefined
  try {
    const program = await createProgram(args[0])
    refuseUnknown(program, args)
    program.hook('preAction', (_program, command) => {
      running = command
    })
    await program.parseAsync(args, { from: 'user' })
  } catch (thrown) {
    const error = isUsage(thrown) ? reportUsage(thrown, running) : thrown
    const isOfPipe = !hasReader && (error as NodeJS.ErrnoException).code === 'EPIPE'
    if (isOfPipe) return
    if (!(error instanceof CommanderError)) fail(error)
    else if (error.exitCode !== 0) process.exitCode = 2
  }
}

/** Help is for known commands: `catalog nonsense --help` is an error, as `catalog nonsense` is. */
function refuseUnknown(program: Command, [name = '', ...rest]: readonly string[]): void {
  if (name.startsWith('-') || name === '' || name === 'help') return
  const found = program.commands.find((command) => command.name() === name)
  // Without --help the parser refuses it, and suggests a similar one.
  if (!found) program.parse([name], { from: 'user' })
  else if (found.commands.length > 0) refuseUnknown(found, rest)
}

/** Whether the command line names something that is refused, such as a store that does not exist. */
function isUsage(error: unknown): error is Error {
  if (error instanceof UsageError) return true
  return error instanceof CatalogueError && error.code !== 'not_revertible'
}

/** Reports the error as commander reports its own, with a hint at the help of the command. Returns what that throws. */
function reportUsage(error: Error, running: Command | undefined): unknown {
  try {
    return running?.error(`error: ${error.message}${hintAt(error)}`, { exitCode: 2 }) ?? error
  } catch (reported) {
    return reported
  }
}
