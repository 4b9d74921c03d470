import { readdirSync } from 'node:fs'
import { sourceOf } from '../support/sources.ts'

/** The pages with commands for users. */
export const documents = [
  'README.md',
  'SECURITY.md',
  ...readdirSync(new URL('../../docs', import.meta.url))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'examples/react-dashboard/README.md',
  'rest/client/README.md',
]

/** A code block of a page: its language, its text, and the answer in JSON that follows it. */
export interface Block {
  language: string
  text: string
  answer: string | undefined
}

export function blocksOf(document: string): Block[] {
  const blocks = sourceOf(document).matchAll(/^```(\w*)\n([^`]*?)^```(?:\n```json\n([^`]*?)^```)?/gm)
  return [...blocks].map(([, language = '', text = '', answer]) => ({ language, text, answer }))
}

/** What a page says outside of its code blocks. */
function proseOf(document: string): string {
  return sourceOf(document).replaceAll(/^```[^`]*^```$/gm, '')
}

/** Lines that show code by their indentation: nothing would run them. */
export function indentedCode(document: string): string[] {
  return [...proseOf(document).matchAll(/(?<=\n\n) {4}\S.*/g)].map(([line]) => line)
}

/** The commands within sentences and tables. */
export function inlineCommands(document: string): string[] {
  const spans = [...proseOf(document).matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll('\n', ' '))
  return spans.filter((span) => /^(?:[A-Z_]+=\S+ )*(?:npm|npx|catalog|docker|grafana) ./.test(span))
}

/** Commands that no test can run as they stand, and why. */
export const notRun: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^npm (ci|install)|^npm --prefix \S+ install/, 'asks a package registry; packages.registry.ts installs'],
  [/^npm --prefix examples\/react-dashboard run dev|^npm run build$/, 'react-example.outside.ts builds and opens it'],
  [/^npm test/, 'runs all tests'],
  [/^npm run (check|test|format|codegen|bench|torture)/, 'runs for minutes; links.test.ts looks the script up'],
  [/^(WRITE_DOCS=1 )?npx vitest/, 'runs tests; links.test.ts looks their paths up'],
  [/^npm run --silent catalog -- listen/, 'runs until it is stopped; listen.test.ts runs it'],
  [/^npx catalog serve/, 'serves until it is stopped; packages.registry.ts starts the package'],
  [/^npx node examples\/webhook-receiver/, 'receives until it is stopped; webhook-receivers.outside.ts runs it'],
  [/^npm pack/, 'image.outside.ts and packages.registry.ts pack'],
  [/^(FILTER_URL=\S+ )?docker/, 'needs a container engine; deploy.outside.ts validates the compose files'],
  [/^grafana/, 'needs Grafana and its registry of plugins'],
]

export function isRun(command: string): boolean {
  return !notRun.some(([pattern]) => pattern.test(command))
}
