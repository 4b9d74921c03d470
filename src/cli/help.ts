import { type Command, Help, type Option } from 'commander'

/** Examples of each command, by its path. A test compares them with the commands. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  serve: [
    'catalog serve',
    'catalog serve --demo',
    'catalog serve --host 0.0.0.0 --port 8080',
    'catalog serve --workers 4',
    'DATABASE_URL=postgresql://gateway@db/catalogue catalog serve',
  ],
  migrate: ['catalog migrate', 'catalog migrate --json'],
  import: [
    'catalog import products.csv --store $STORE --dry-run',
    'catalog import products.csv --store $STORE --assets images --asset-base https://cdn.example.com/ --errors failed.csv',
    'catalog import products.jsonl --store $STORE --map title="Product Name" --only-mapped --json',
  ],
  export: [
    'catalog export --store $STORE > products.csv',
    'catalog export --store $STORE --format jsonl --status active --out products.jsonl --json',
    'catalog export --store $STORE --since $CURSOR > changes.jsonl',
  ],
  changes: [
    'catalog changes --store $STORE --since 1h',
    'catalog changes --store $STORE --product 1002 --follow --json',
  ],
  'request show': [
    'catalog request show $REQUEST --store $STORE',
    'catalog request show $REQUEST --store $STORE --json',
  ],
  'product show': [
    'catalog product show 1002 --store $STORE',
    'catalog product show 1002 --store $STORE --at 2026-11-21T10:00:00Z --json',
  ],
  revert: [
    'catalog revert --store $STORE --request $REQUEST --dry-run',
    'catalog revert --store $STORE --request $REQUEST --if-changed-since overwrite --json',
  ],
  'requirements use': [
    'catalog requirements use google-merchant --store $STORE --channel SMP --map title=Name',
    'catalog requirements use shopify --store $STORE --channel SMP --dry-run --json',
  ],
  backup: ['catalog backup catalogue.sql.gz', 'catalog backup catalogue.sql --force --json'],
  restore: [
    'catalog restore catalogue.sql.gz',
    'DATABASE_URL=postgresql://gateway@db/new catalog restore catalogue.sql',
  ],
  check: ['catalog check', 'catalog check --json'],
  distribute: ['catalog distribute', 'catalog distribute --apply --json'],
  'store list': ['catalog store list', 'catalog store list --search lights --json'],
  'store create': [
    'catalog store create --name "Northern Lights"',
    'catalog store create --name Outlet --linked-store "Northern Lights" --copy-taxonomy --json',
  ],
  'store show': ['catalog store show "Northern Lights"', 'catalog store show $STORE --json'],
  'job list': ['catalog job list --store $STORE', 'catalog job list --store "Northern Lights" --limit 5 --json'],
  'job show': ['catalog job show 01a1fdce-152f-72ec-a6dd-356a6c047a6d'],
  'config show': ['catalog config show', 'catalog config show --json'],
  'config pull': ['catalog config pull --store $STORE > store.yaml'],
  'config diff': ['catalog config diff store.yaml --store "Northern Lights"'],
  'config push': [
    'catalog config push store.yaml --store $STORE',
    'catalog config push store.yaml --store $STORE --json',
  ],
  'token create': [
    'catalog token create --name dashboard --scope read',
    'catalog token create --name importer --scope read,write --store $STORE --expires 30d --json',
  ],
  'token list': ['catalog token list', 'catalog token list --wide', 'catalog token list --json'],
  'report-user add': ['catalog report-user add metabase --store $STORE'],
  'report-user list': ['catalog report-user list', 'catalog report-user list --json'],
  'report-user remove': ['catalog report-user remove metabase'],
  'token revoke': ['catalog token revoke 01a1fdce-152f-72ec-a6dd-356a6c047a6d'],
  'webhook list': ['catalog webhook list --store $STORE'],
  'webhook create': [
    'catalog webhook create --store $STORE --url https://hooks.example.com/catalogue --type product.updated',
  ],
  'webhook deliveries': ['catalog webhook deliveries 01a1fdce-152f-72ec-a6dd-356a6c047a6d --limit 5'],
  'webhook rotate': ['catalog webhook rotate 01a1fdce-152f-72ec-a6dd-356a6c047a6d'],
  'webhook replay': ['catalog webhook replay 01a1fdce-152f-72ec-a6dd-356a6c047a6d --from 2026-11-21T10:00:00Z'],
  'webhook test': ['catalog webhook test 01a1fdce-152f-72ec-a6dd-356a6c047a6d'],
  'webhook retry': ['catalog webhook retry 01a1fdce-152f-72ec-a6dd-356a6c047a6d'],
  'webhook skip': ['catalog webhook skip 01a1fdce-152f-72ec-a6dd-356a6c047a6d'],
  'webhook delete': ['catalog webhook delete 01a1fdce-152f-72ec-a6dd-356a6c047a6d'],
  listen: [
    'CATALOGUE_TOKEN=$TOKEN catalog listen --store $STORE',
    'catalog listen --url https://catalogue.example --token $TOKEN --store $STORE --forward-to http://127.0.0.1:3000/hook',
  ],
  'mcp-config': ['catalog mcp-config --client claude --url https://catalogue.example > .mcp.json'],
  'filter-service': ['catalog filter-service --port 4001', 'FILTER_URL=http://127.0.0.1:4001 catalog serve'],
}

/** Adds examples and exit codes to the help of every command, and a hint at the help to every usage error. */
export function addHelp(program: Command): Command {
  program.addHelpText('after', general).showHelpAfterError('Run "catalog --help" to see the commands.')
  program.commandsGroup('Help:').helpCommand('help [command]', 'show the help of a command')
  for (const { path, command } of commandsOf(program)) {
    command.configureHelp({ optionDescription })
    command.showHelpAfterError(`Run "catalog ${path} --help" to see its arguments and options.`)
    const ofCommand = examples[path]
    if (ofCommand) command.addHelpText('after', textOf(ofCommand))
  }
  return program
}

/** The description without a default of no and none. */
function optionDescription(option: Option): string {
  const isPlain = option.defaultValue === false || String(option.defaultValue) === ''
  return isPlain ? option.description : new Help().optionDescription(option)
}

/** Every command of a program with its path: `token create`. */
export function commandsOf(program: Command, before = ''): { path: string; command: Command }[] {
  return program.commands.flatMap((command) => {
    const path = `${before}${command.name()}`
    return [{ path, command }, ...commandsOf(command, `${path} `)]
  })
}

const exitCodes = [
  '',
  'Exit codes:',
  '  0  success',
  '  1  some rows failed or were skipped, a check found a difference, or the command failed',
  '  2  wrong usage',
].join('\n')

const general = [
  '',
  'Commands use the database of DATABASE_URL, otherwise the embedded one in DATA_DIR, even while the gateway is running.',
  'Only "serve" and "migrate" create an embedded database.',
  'With --json a command prints one JSON object on stdout; everything else goes to stderr.',
  exitCodes,
  '',
  'Examples:',
  '  $ catalog serve --demo',
  '  $ catalog token create --name dashboard --scope read',
  '  $ catalog import products.csv --store $STORE --dry-run',
].join('\n')

function textOf(ofCommand: readonly string[]): string {
  return ['\nExamples:', ...ofCommand.map((example) => `  $ ${example}`), exitCodes].join('\n')
}
