import type { Command } from 'commander'

interface Help {
  examples: readonly string[]
  /** What each exit code means, where it differs from `exitCodes`. */
  exits?: Readonly<Record<number, string>>
}

const exitCodes = { 0: 'done', 1: 'it could not be done', 2: 'wrong usage' }

/** What the help of each command says besides its options, by the command's path. A test compares it with the commands. */
export const helps: Readonly<Record<string, Help>> = {
  serve: {
    examples: [
      'catalog serve',
      'catalog serve --demo',
      'catalog serve --workers 4',
      'PORT=8080 DATABASE_URL=postgresql://gateway@db/catalogue catalog serve',
    ],
    exits: { 0: 'stopped by SIGINT or SIGTERM', 1: 'it could not start' },
  },
  migrate: { examples: ['catalog migrate', 'catalog migrate --json'] },
  import: {
    examples: [
      'catalog import products.csv --store $STORE --dry-run',
      'catalog import products.csv --store $STORE --assets images --asset-base https://cdn.example.com/ --errors failed.csv',
      'catalog import products.jsonl --store $STORE --map title="Product Name" --only-mapped --json',
    ],
    exits: { 0: 'every row was imported', 1: 'some rows failed, or it was interrupted' },
  },
  export: {
    examples: [
      'catalog export --store $STORE > products.csv',
      'catalog export --store $STORE --format jsonl --status active --out products.jsonl --json',
    ],
  },
  check: {
    examples: ['catalog check', 'catalog check --json'],
    exits: { 0: 'no difference', 1: 'a difference was found' },
  },
  'token create': {
    examples: [
      'catalog token create --name dashboard --scope read',
      'catalog token create --name importer --scope read,write --store $STORE --expires 30d --json',
    ],
  },
  'token list': { examples: ['catalog token list', 'catalog token list --json'] },
  'token revoke': {
    examples: ['catalog token revoke 01a1fdce-152f-72ec-a6dd-356a6c047a6d'],
    exits: { 0: 'revoked', 1: 'there is no such token' },
  },
  'filter-service': {
    examples: ['catalog filter-service --port 4001', 'FILTER_URL=http://127.0.0.1:4001 catalog serve'],
    exits: { 0: 'stopped by SIGINT or SIGTERM', 1: 'it could not start' },
  },
}

/** Adds examples and exit codes to the help of every command, and a hint at the help to every usage error. */
export function addHelp(program: Command): Command {
  program.addHelpText('after', general).showHelpAfterError('Run "catalog --help" to see the commands.')
  for (const { path, command } of commandsOf(program)) {
    command.showHelpAfterError(`Run "catalog ${path} --help" to see what it takes.`)
    const help = helps[path]
    if (help) command.addHelpText('after', textOf(help))
  }
  return program
}

/** Every command of a program with its path: `token create`. */
export function commandsOf(program: Command, before = ''): { path: string; command: Command }[] {
  return program.commands.flatMap((command) => {
    const path = `${before}${command.name()}`
    return [{ path, command }, ...commandsOf(command, `${path} `)]
  })
}

const general = [
  '',
  'Commands use the database of DATABASE_URL, else the embedded one in DATA_DIR, whether the gateway is running or not.',
  'Only "serve" and "migrate" create an embedded database.',
  'With --json a command prints one JSON object on stdout; everything else goes to stderr.',
  '',
  'Exit codes:',
  '  0  success',
  '  1  some rows failed, a check found a difference, or the command failed',
  '  2  wrong usage',
  '',
  'Examples:',
  '  $ catalog serve --demo',
  '  $ catalog token create --name dashboard --scope read',
  '  $ catalog import products.csv --store $STORE --dry-run',
].join('\n')

function textOf({ examples, exits }: Help): string {
  const codes = Object.entries({ ...exitCodes, ...exits })
  return [
    '\nExamples:',
    ...examples.map((example) => `  $ ${example}`),
    '\nExit codes:',
    ...codes.map(([code, meaning]) => `  ${code}  ${meaning}`),
  ].join('\n')
}
