import type { Command } from 'commander'

interface Help {
  examples: readonly string[]
  /** What each exit code means here; 2 is wrong usage everywhere. */
  exits: Readonly<Record<number, string>>
}

const done = { 0: 'done' }
const doneOrNot = { 0: 'done', 1: 'it could not be done' }

/** What the help of each command says besides its options, by the command's path. A test holds it against the commands. */
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
  migrate: { examples: ['catalog migrate', 'catalog migrate --json'], exits: doneOrNot },
  import: {
    examples: [
      'catalog import products.csv --store $STORE --dry-run',
      'catalog import products.csv --store $STORE --assets images --asset-base https://cdn.example.com/ --errors failed.csv',
      'catalog import products.jsonl --store $STORE --map title="Product Name" --only-mapped --json',
    ],
    exits: {
      0: 'every row went in',
      1: 'some rows failed, or it was interrupted',
      2: 'wrong usage, or a file that cannot be read',
    },
  },
  export: {
    examples: [
      'catalog export --store $STORE > products.csv',
      'catalog export --store $STORE --format jsonl --status active --out products.jsonl --json',
    ],
    exits: doneOrNot,
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
    exits: doneOrNot,
  },
  'token list': { examples: ['catalog token list', 'catalog token list --json'], exits: done },
  'token revoke': {
    examples: ['catalog token revoke 01a1fdce-152f-72ec-a6dd-356a6c047a6d'],
    exits: { 0: 'revoked', 1: 'there is no such token' },
  },
  'filter-service': {
    examples: ['catalog filter-service --port 4001', 'FILTER_URL=http://127.0.0.1:4001 catalog serve'],
    exits: { 0: 'stopped by SIGINT or SIGTERM', 1: 'it could not start' },
  },
  completion: {
    examples: [
      'catalog completion bash > ~/.local/share/bash-completion/completions/catalog',
      'catalog completion zsh > ~/.zfunc/_catalog',
      'catalog completion fish > ~/.config/fish/completions/catalog.fish',
    ],
    exits: done,
  },
}

/** Adds examples and exit codes to the help of every command, and the way to the help to every complaint about usage. */
export function addHelp(program: Command): void {
  program.addHelpText('after', general)
  program.showHelpAfterError('Run "catalog --help" to see the commands.')
  for (const { path, command } of commandsOf(program)) {
    command.showHelpAfterError(`Run "catalog ${path} --help" to see what it takes.`)
    const help = helps[path]
    if (help) command.addHelpText('after', textOf(help))
  }
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
  'Commands work on the database of DATABASE_URL, else on the embedded one of DATA_DIR, whether the gateway is running or not.',
  'With --json a command prints one JSON object on stdout; all else goes to stderr.',
  '',
  'Exit codes:',
  '  0  all well',
  '  1  some rows failed, a check found a difference, or it could not be done',
  '  2  wrong usage',
  '',
  'Examples:',
  '  $ catalog serve --demo',
  '  $ catalog token create --name dashboard --scope read',
  '  $ catalog import products.csv --store $STORE --dry-run',
].join('\n')

function textOf({ examples, exits }: Help): string {
  const codes = Object.entries({ ...exits, 2: exits[2] ?? 'wrong usage' })
  return [
    '\nExamples:',
    ...examples.map((example) => `  $ ${example}`),
    '\nExit codes:',
    ...codes.map(([code, meaning]) => `  ${code}  ${meaning}`),
  ].join('\n')
}
