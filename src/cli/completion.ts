import { Argument, type Command } from 'commander'
import { commandsOf } from './help.ts'

const shells = ['bash', 'zsh', 'fish'] as const

/** `catalog completion`: prints a script that lets a shell complete commands and options. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'whose script it is').choices(shells))
    .action((shell: (typeof shells)[number]) => {
      process.stdout.write(scripts[shell](wordsOf(program)))
    })
}

/** What can follow each command: path to words; the empty path is the program. */
function wordsOf(program: Command): Map<string, string[]> {
  const all = [{ path: '', command: program }, ...commandsOf(program)]
  return new Map(
    all.map(({ path, command }) => [
      path,
      [...command.commands.map((below) => below.name()), ...command.options.map(({ long }) => long ?? ''), '--help'],
    ]),
  )
}

const scripts: Record<(typeof shells)[number], (words: Map<string, string[]>) => string> = {
  bash: (words) =>
    lines([
      pathFunction(words),
      '_catalog() {',
      '  local path; path=$(_catalog_path "${COMP_WORDS[@]:1:COMP_CWORD-1}")',
      '  local current=${COMP_WORDS[COMP_CWORD]}',
      '  case "$path" in',
      cases(words, (list) => `COMPREPLY=($(compgen -W '${list}' -- "$current"))`),
      '  esac',
      '}',
      'complete -o default -F _catalog catalog',
    ]),
  zsh: (words) =>
    lines([
      '#compdef catalog',
      pathFunction(words),
      '_catalog() {',
      '  local path_of=$(_catalog_path "${(@)words[2,CURRENT-1]}")',
      '  case "$path_of" in',
      cases(words, (list) => `compadd -- ${list}`),
      '  esac',
      '  _files',
      '}',
      'if [ "$funcstack[1]" = _catalog ]; then _catalog "$@"; else compdef _catalog catalog; fi',
    ]),
  fish: (words) =>
    lines(
      [...words].flatMap(([path, list]) =>
        list.map((word) => {
          const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`
          return `complete -c catalog -n '${conditionOf(path, words)}' ${what}`
        }),
      ),
    ),
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`
}

/** Prints which command the words so far have got to, as far as they name one. */
function pathFunction(words: Map<string, string[]>): string {
  const known = [...words.keys()].filter(Boolean).map((path) => `"${path}"`)
  return [
    '_catalog_path() {',
    '  local at= next word',
    '  for word in "$@"; do',
    '    next="${at:+$at }$word"',
    `    case "$next" in ${known.join('|')}) at=$next ;; esac`,
    '  done',
    `  printf '%s' "$at"`,
    '}',
  ].join('\n')
}

function cases(words: Map<string, string[]>, action: (list: string) => string): string {
  return [...words].map(([path, list]) => `    "${path}") ${action(list.join(' '))} ;;`).join('\n')
}

function conditionOf(path: string, words: Map<string, string[]>): string {
  if (path === '') return '__fish_use_subcommand'
  const seen = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`)
  const below = (words.get(path) ?? []).filter((word) => !word.startsWith('--'))
  const none = below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(' ')}`] : []
  return [...seen, ...none].join('; and ')
}
