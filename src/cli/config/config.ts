import type { Command } from 'commander'
import { settingsOf } from '../../app/config.ts'
import { tableOf } from '../table.ts'

export function addConfig(program: Command): void {
  program
    .command('config')
    .description('print the settings that the environment gives, with secrets masked')
    .option('--json', 'print one JSON object on stdout', false)
    .action(({ json }: { json: boolean }) => {
      const settings = settingsOf(process.env)
      const rows = settings.map(({ name, value, isDefault }) => [name, value ?? '', isDefault ? 'default' : ''])
      const values = Object.fromEntries(settings.map(({ name, value }) => [name, value]))
      process.stdout.write(json ? `${JSON.stringify(values)}\n` : tableOf(rows))
    })
}
