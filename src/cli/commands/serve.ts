import { once } from 'node:events'
import type { Command } from 'commander'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { type Config, maxWorkers, readConfig } from '../../app/config.ts'
import { createLog } from '../../app/log.ts'
import { adviseOnRights } from '../../database/advice.ts'
import { openDatabase } from '../../database/open.ts'
import type { Database } from '../../database/tables.ts'
import { listen, requireFreePort } from '../../http/listen.ts'
import { jsonFlag, wholeNumber } from '../option-values.ts'
import { printResult } from '../output.ts'
import { untilSignal } from '../until-signal.ts'
import { nameDatabase, originOf, withDatabase } from '../with-database.ts'

/** A process that has not ended this long after the signal is ended by force. */
const maxStopMs = 15_000

interface ServeOptions {
  demo: boolean
  host?: string
  port?: number
  workers?: number
}

/** `catalog serve`: runs until SIGINT or SIGTERM; a second signal ends it at once. */
export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the gateway (what `npm start` does)')
    .option('--demo', 'load a small demo catalogue into an empty database', false)
    .option('--host <ADDRESS>', 'the address to listen on (default: HOST, otherwise 127.0.0.1)')
    .option('--port <N>', 'the port; 0 picks a free one (default: PORT, otherwise 4000)', wholeNumber(0, 65_535))
    .option(
      '--workers <N>',
      'number of processes that answer requests (default: WORKERS, otherwise 1)',
      wholeNumber(1, maxWorkers),
    )
    .action(async ({ demo, host, port, workers }: ServeOptions) => {
      const { env } = process
      const config = readConfig({
        ...env,
        ...(host !== undefined && { HOST: host }),
        ...(port !== undefined && { PORT: String(port) }),
        ...(workers !== undefined && { WORKERS: String(workers) }),
      })
      const log = createLog(config.logLevel)
      if (config.workers > 1 && (await import('node:cluster')).default.isWorker) {
        const { runWorker } = await import('../../app/cluster/worker.ts')
        return runWorker(config, env, log)
      }
      // Before anything is created: a first start that fails later would have printed its token in vain.
      await requireFreePort(config)
      nameDatabase(config)
      const stopped = untilSignal().then((signal) => {
        log.info({ signal }, 'stopping')
        setTimeout(() => process.exit(1), maxStopMs).unref()
      })
      const { url, stop } = await serve(config, demo, log)
      process.stdout.write(
        `catalogue gateway at ${url} (start page: ${url}/, GraphiQL: ${url}/graphql, REST: ${url}/docs)\n`,
      )
      await stopped
      await stop()
    })
}

/** Starts the service in the order of this function. Leaves nothing running when it throws. */
async function serve(config: Config, demo: boolean, log: Logger) {
  // The embedded PostgreSQL starts while the code that uses it is loaded.
  const loading = load(config)
  const { db, connection, close } = await openDatabase(config, log, { mayCreate: true, loading })
  const { migrate, addChangeDays, setRecording, newerScripts, ensureAdminToken, start } = await loading
  try {
    const migrations = await migrate(db, undefined, (sentence) => log.info(`migration: ${sentence}`))
    // A database that takes no writes, as a standby does, is served too.
    await Promise.all([addChangeDays(db), setRecording(db, config.changesRetention > 0)]).catch((error) =>
      log.warn({ reason: error.message }, 'the ledger could not be prepared'),
    )
    if (migrations.length > 0) log.info({ migrations }, 'database migrated')
    const newer = await newerScripts(db)
    if (newer.length > 0)
      log.warn({ migrations: newer }, 'a newer version has migrated the database; this one serves it')
    // Printed as soon as it is stored: it cannot be read again.
    if (config.bootstrapToken === undefined) printToken(await ensureAdminToken(db))
    if (demo) await loadDemoCatalogue(db, config, log)
    const { url, stop } = await start(config, { db, connection, env: process.env }, log)
    return { url, stop: () => stop().finally(close) }
  } catch (error) {
    const advised = await adviseOnRights(db, error)
    await close()
    throw advised
  }
}

/** With several workers this process only supervises them: it does not load the gateway. */
async function load({ workers }: Config) {
  const [{ migrate, newerScripts }, { addChangeDays, setRecording }, { ensureAdminToken }, start] = await Promise.all([
    import('../../database/migrate.ts'),
    import('../../database/ledger.ts'),
    import('../../auth/tokens.ts'),
    workers > 1
      ? import('../../app/cluster/supervisor.ts').then(({ superviseWorkers }) => superviseWorkers)
      : import('../../app/configured-gateway.ts').then(({ startConfiguredGateway }) => startConfiguredGateway),
  ])
  return { migrate, addChangeDays, setRecording, newerScripts, ensureAdminToken, start }
}

function printToken({ secret, exists }: { secret?: string; exists: boolean }): void {
  const command = 'npm run catalog -- token create --name admin --scope read,write,admin'
  if (secret !== undefined) {
    const use = `Enter it on the start page, or send it as "Authorization: Bearer ${secret}".`
    process.stderr.write(`\nAdmin token, shown only once:\n\n  ${secret}\n\n${use}\n\n`)
  } else {
    const found = exists
      ? 'An earlier start printed the admin token.'
      : 'There are tokens, but no valid one is for admin.'
    process.stderr.write(`${found} To make one, run "${command}".\n`)
  }
}

async function loadDemoCatalogue(db: Kysely<Database>, config: Config, log: Logger): Promise<void> {
  const [{ startGlobalConfig }, { wholeCatalogue }, { loadDemo }] = await Promise.all([
    import('../../global-config/global-config.ts'),
    import('../../catalogue/catalogue.ts'),
    import('../../demo/demo.ts'),
  ])
  const globalConfig = await startGlobalConfig(config, log)
  const catalogue = { ...wholeCatalogue(db), origin: originOf(config, 'demo') }
  await loadDemo(catalogue, globalConfig.enumerations(), log).finally(globalConfig.stop)
}

export function addFilterService(program: Command): void {
  program
    .command('filter-service')
    .description('run the filtering service that FILTER_URL names, over the same database')
    .option('--port <N>', 'the port to listen on, on HOST; 0 picks a free port', wholeNumber(0, 65_535), 4001)
    .option(...jsonFlag)
    .action(({ port, json }: { port: number; json: boolean }) =>
      withDatabase(
        async ({ catalogue, config, log }) => {
          const { createFilterServer } = await import('../../filter-service/server.ts')
          const server = createFilterServer(catalogue, log)
          const stopped = untilSignal().then((signal) => log.info({ signal }, 'stopping'))
          const url = await listen(server, { host: config.host, port })
          printResult(json, { url }, `catalogue filter at ${url}`)
          await stopped
          server.close()
          server.closeIdleConnections()
          await once(server, 'close')
        },
        { logLevel: 'info' },
      ),
    )
}
