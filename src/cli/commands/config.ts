import { readFile, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { readConfig, settingsOf } from '../../app/config.ts'
import { findStoreUuid } from '../../catalogue/stores/stores.ts'
import { rolledBackIf } from '../../catalogue/transaction.ts'
import { UsageError } from '../../import/usage-error.ts'
import { type ConfigFile, readConfigFile, writeConfigFile } from '../config/config-file.ts'
import type { Difference } from '../config/difference.ts'
import { applyConfig, readStoreConfig } from '../config/store-config.ts'
import { jsonFlag, storeOption } from '../option-values.ts'
import { printResult, tableOf } from '../output.ts'
import { type CommandContext, recordWrites, requireRecording, withDatabase } from '../with-database.ts'

interface StoreOptions {
  store: string
  json: boolean
}

const expected = 'a YAML file, as `catalog config pull` writes it'

export function addConfig(program: Command): void {
  const config = program
    .command('config')
    .description('show settings of the gateway; export and apply the configuration of a store as a file')
  addShow(config)
  addPull(config)
  addApply(
    config,
    'diff',
    'print what `config push` would change, without changing it; exit code 1 if there are differences',
  )
  addApply(config, 'push', 'change the store to match the file, in one transaction')
}

function addShow(config: Command): void {
  config
    .command('show', { isDefault: true })
    .description('print the settings from the environment, with secrets masked; the default command of `config`')
    .option(...jsonFlag)
    .action(async ({ json }: { json: boolean }) => {
      const { connectionsOf } = await import('../../app/cluster/connections.ts')
      const connections = connectionsOf(readConfig(process.env))
      const settings = settingsOf(process.env)
      const rows = settings.map(({ name, value, isDefault }) => [name, value ?? '', isDefault ? 'default' : ''])
      const values = Object.fromEntries(settings.map(({ name, value }) => [name, value]))
      rows.push(['max_connections', String(connections), 'what this gateway needs'])
      printResult(json, { ...values, max_connections: connections }, tableOf(rows))
    })
}

function addPull(config: Command): void {
  withStore(config.command('pull'))
    .description("print a store's attribute definitions, requirements, tokens and webhooks as YAML")
    .option('--out <file>', 'the file to write to instead of stdout')
    .action(async ({ store, out, json }: StoreOptions & { out?: string }) => {
      const pulled = await withDatabase(async ({ db, catalogue }) =>
        readStoreConfig(catalogue, await findStoreUuid(db, store)),
      )
      const text = json ? `${JSON.stringify(pulled)}\n` : writeConfigFile(pulled)
      if (out === undefined) process.stdout.write(text)
      else await writeFile(out, text)
    })
}

function addApply(config: Command, name: 'diff' | 'push', description: string): void {
  withStore(config.command(name))
    .description(description)
    .argument('<file>', `${expected}; missing sections are not changed`)
    .action(async (path: string, { store, json }: StoreOptions) => {
      const text = await readFile(path, 'utf8').catch(({ message }: Error) => {
        throw new UsageError(`${path} cannot be read: ${message}; expected ${expected}`)
      })
      const file = readConfigFile(text, path)
      const { differences, tokens, webhooks } = await withDatabase((context) =>
        apply(context, file, store, name === 'diff'),
      )
      const isPush = name === 'push'
      if (json) process.stdout.write(`${JSON.stringify({ differences, ...(isPush && { tokens, webhooks }) })}\n`)
      else {
        const lines = differences.map(lineOf).join('')
        ;(isPush ? process.stderr : process.stdout).write(lines || 'no differences\n')
        const secrets = [...tokens.map(({ name, token }) => ({ name, secret: token })), ...webhooks]
        if (isPush) process.stdout.write(secrets.map(({ name, secret }) => `${name}: ${secret}\n`).join(''))
      }
      if (!isPush && differences.length > 0) process.exitCode = 1
    })
}

async function apply(context: CommandContext, file: ConfigFile, store: string, dryRun: boolean) {
  const enumerations = await context.enumerations()
  const uuid = await findStoreUuid(context.db, store)
  if (file.webhooks?.length) requireRecording(context.config)
  return recordWrites(context, { operation: 'config', dryRun }, (catalogue) =>
    rolledBackIf(catalogue, dryRun, (within) =>
      applyConfig(within, enumerations, uuid, file, context.config.outgoingAllow),
    ),
  )
}

function withStore(command: Command): Command {
  return storeOption(command).option(...jsonFlag)
}

const signs = { add: '+', change: '~', remove: '-' }

function lineOf({ action, kind, name, before, after }: Difference): string {
  const values = [before, after].filter((value) => value !== undefined).map((value) => JSON.stringify(value))
  return `${signs[action]} ${kind} ${name}: ${values.join(' → ')}\n`
}
