import { readFile } from 'node:fs/promises'
import { Argument, type Command } from 'commander'
import { type NewRequirement, type Requirement, setRequirements } from '../../catalogue/readiness/requirements.ts'
import { findStoreUuid } from '../../catalogue/stores/stores.ts'
import { rolledBackIf } from '../../catalogue/transaction.ts'
import { invalidRequest } from '../../errors.ts'
import { shown } from '../../text.ts'
import { collect, jsonFlag, storeOption } from '../option-values.ts'
import { counted, printResult } from '../output.ts'
import { recordWrites, withDatabase } from '../with-database.ts'

interface UseOptions {
  store: string
  channel: string
  map: string[]
  dryRun: boolean
  json: boolean
}

const presets = ['google-merchant', 'amazon', 'shopify']

export function addRequirements(program: Command): void {
  const requirements = program.command('requirements').description('set what products must have on a channel')
  storeOption(requirements.command('use'))
    .description('replace the requirements of a channel with those of a marketplace')
    .addArgument(new Argument('<preset>', 'the marketplace').choices(presets))
    .requiredOption('--channel <channel>', 'the channel')
    .option(
      '--map <attribute=attribute>',
      'the name of an attribute of the preset in the store; repeatable',
      collect,
      [],
    )
    .option('--dry-run', 'change nothing, only print the requirements', false)
    .option(...jsonFlag)
    .action(async (preset: string, options: UseOptions) => {
      const requirements = await usePreset(preset, options)
      const note = options.dryRun ? ' (a dry run: nothing was changed)' : ''
      process.stderr.write(`${counted(requirements.length, 'requirement')} for the channel ${options.channel}${note}\n`)
      const lines = requirements.map(({ severity, code }) => `${severity.toLowerCase()}: ${code}`)
      printResult(options.json, { requirements }, lines.join('\n'))
    })
}

async function usePreset(preset: string, { store, channel, map, dryRun }: UseOptions): Promise<Requirement[]> {
  const file = new URL(`../../catalogue/readiness/presets/${preset}.json`, import.meta.url)
  const requirements: NewRequirement[] = JSON.parse(await readFile(file, 'utf8'))
  const known = new Set(
    requirements.flatMap(({ attribute, whenAttribute }) => [attribute ?? [], whenAttribute ?? []].flat()),
  )
  const names = new Map(map.map((pair) => renamingOf(pair, preset, known)))
  const renamed = (name: string | null | undefined) => names.get(name ?? '') ?? name
  const own = requirements.map(({ attribute, whenAttribute, ...rest }) => ({
    ...rest,
    attribute: renamed(attribute),
    whenAttribute: renamed(whenAttribute),
  }))
  return withDatabase(async (context) => {
    const enumerations = await context.enumerations()
    const uuid = await findStoreUuid(context.db, store)
    return recordWrites(context, { operation: 'requirements use', dryRun }, (catalogue) =>
      rolledBackIf(catalogue, dryRun, (within) => setRequirements(within, enumerations, uuid, channel, own)),
    )
  })
}

function renamingOf(pair: string, preset: string, known: ReadonlySet<string>): [string, string] {
  const [name = '', ofStore = ''] = pair.split(/=(.*)/s)
  if (ofStore === '') throw invalidRequest(`--map must be ATTRIBUTE=ATTRIBUTE; got ${shown(pair)}`)
  if (known.has(name)) return [name, ofStore]
  throw invalidRequest(`--map must name an attribute of ${preset}: ${[...known].join(', ')}; got ${shown(name)}`)
}
