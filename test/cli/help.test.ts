import { describe, expect, it } from 'vitest'
import { adviceOn } from '../../src/cli/advice.ts'
import { commandsOf, examples } from '../../src/cli/help.ts'
import { createProgram } from '../../src/cli/program.ts'
import { refusal, runCli } from '../support/clients/cli.ts'

const commands = commandsOf(await createProgram())
const leaves = commands.filter(({ command }) => command.commands.length === 0)

const nameOf = ({ path }: { path: string }) => path.split(' ')[0]

describe('the command line', () => {
  it('has examples and exit codes in the help of every command', async () => {
    expect(Object.keys(examples).toSorted()).toEqual(leaves.map(({ path }) => path).toSorted())
    const { stdout, code } = await runCli(['token', 'create', '--help'], {})
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /Examples:\n( {2}\$ catalog token create --name .*\n)+\nExit codes:\n {2}0 {2}success\n {2}1 {2}some rows failed .*\n {2}2 {2}wrong usage\n/,
    )
  })

  it('lists every command by topic in a line or two, and no default that says nothing', async () => {
    const { stdout } = await runCli(['--help'], {})
    const [list = ''] = stdout.split('\nCommands use')
    const topics = list.split(/\n\n(?=[A-Z][a-z ]+:\n)/).slice(2)
    expect(topics.map((topic) => topic.split('\n')[0])).not.toContain('Commands:')
    expect(topics.join('\n').match(/^ {2}[a-z][a-z-]*/gm)).toHaveLength(new Set(leaves.map(nameOf)).size + 1)
    expect(list.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect((await runCli(['import', '--help'], {})).stdout).not.toMatch(/default: (false|\[\])/)
  })

  it('gives only examples that its commands take', () => {
    for (const [path, ofCommand] of Object.entries(examples)) {
      for (const example of ofCommand) {
        const words = example
          .replace(/^.*?(?=catalog )/, '')
          .split(' ')
          .slice(1)
        const found = leaves.find((leaf) => words.slice(0, leaf.path.split(' ').length).join(' ') === leaf.path)
        const known = found?.command.options.flatMap(({ long }) => long ?? []) ?? []
        expect(known, `${path}: ${example}`).toEqual(
          expect.arrayContaining(words.filter((word) => word.startsWith('--'))),
        )
      }
    }
  })

  it('has --json for every command that ends by itself with a result that is not JSON anyway', () => {
    const without = leaves.filter(({ command }) => !command.options.some(({ long }) => long === '--json'))
    expect(without.map(({ path }) => path)).toEqual(['serve', 'listen', 'mcp-config'])
  })

  it('answers wrong usage with 2, a sentence, and where to look', async () => {
    const unknown = await runCli(['token', 'crate'], {})
    expect(unknown).toMatchObject(refusal("unknown command 'crate'"))
    expect(unknown.stderr).toContain('Run "catalog token --help" to see its arguments and options.')
    expect(unknown.stderr).toContain('(Did you mean create?)')
    for (const words of [['nonsense'], ['token', 'nonsense']]) {
      const helped = await runCli([...words, '--help'], {})
      expect(helped).toMatchObject(refusal("unknown command 'nonsense'"))
    }
    const missing = await runCli(['export'], {})
    expect(missing).toMatchObject(refusal('Run "catalog export --help"'))
  })

  it('says what to do when the database cannot be reached', async () => {
    const { code, stdout, stderr } = await runCli(['check'], { DATABASE_URL: 'postgresql://u@127.0.0.1:1/x' })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      'catalog: the database cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Start the database, or correct DATABASE_URL; without DATABASE_URL the embedded database is used.\n',
    )
  })

  it('keeps the words of an error for which it knows no next step', () => {
    expect(adviceOn(new Error('It broke.'))).toBe('It broke.')
    expect(adviceOn('odd')).toBe('odd')
  })
})
