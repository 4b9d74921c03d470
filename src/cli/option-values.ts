import { type Command, InvalidArgumentError } from 'commander'

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d{1,9}$/.test(text) && number >= least && number <= most) return number
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }
}

/** The option with which a command prints its result for programs: `printResult`. */
export const jsonFlag = ['--json', 'print one JSON object on stdout', false] as const

/** The option of a list that has more columns than fit into 80 characters: `listOf`. */
export const wideFlag = ['--wide', 'print all columns, in full', false] as const

/** Adds the option `--store`, whose value `findStoreUuid` reads. */
export function storeOption(command: Command): Command {
  return command.requiredOption('--store <store>', 'the store: its UUID, or its name if no other store has it')
}

/** The values of an option that may be repeated. */
export function collect(value: string, before: string[]): string[] {
  return [...before, value]
}
