import { noteSentences } from '../../src/import/report/notes.ts'
import type { Job } from '../../src/jobs/job.ts'
import { builder, type Fields } from '../builder/builder.ts'
import { nullable } from '../builder/options.ts'

export const JobCountsRef = builder.objectRef<Job['counts']>('JobCounts').implement({
  description:
    'Counts of an import. Each row is counted in exactly one of `created`, `updated`, `unchanged` and `failed`.',
  fields: (t) => ({
    created: t.exposeInt('created', { description: 'Number of products created.' }),
    updated: t.exposeInt('updated', { description: 'Number of existing products changed.' }),
    unchanged: t.exposeInt('unchanged', { description: 'Number of rows that changed nothing.' }),
    failed: t.exposeInt('failed', { description: 'Number of rows of which nothing was stored.' }),
    assetsAdded: t.exposeInt('assetsAdded', { description: 'Number of assets created in the store.' }),
    linksAdded: t.exposeInt('linksAdded', { description: 'Number of links created between assets and products.' }),
    assetsFailed: t.exposeInt('assetsFailed', { description: 'Number of bad asset URLs of rows that did not fail.' }),
    replaced: t.exposeInt('replaced', { description: 'Number of rows that replaced values of earlier rows.' }),
  }),
})

type Problem = Job['problems'][number]

export const problemFields = (t: Fields<Omit<Problem, 'row'>>) => ({
  line: t.exposeInt(
    'line',
    nullable('Line of the file on which the row starts, from 1; null for formats without lines.'),
  ),
  productCode: t.exposeString('productCode', nullable('Product code of the row; null if it has none.')),
  field: t.exposeString('field', nullable('Invalid column; null when the whole row is invalid.')),
  reason: t.exposeString('reason', { description: 'Explanation: the expected value and the received one.' }),
})

export const JobProblemRef = builder.objectRef<Problem>('JobProblem').implement({
  description: 'One fault in one row of an import.',
  fields: (t) => ({
    row: t.exposeInt('row', { description: 'Number of the row, from 1, the header not counted.' }),
    ...problemFields(t),
  }),
})

// REST and GraphQL write names of several words in two ways.
const sentenceOf = (sentence: string) =>
  sentence.replaceAll(/--[a-z]+-[a-z-]+/g, 'an option').replaceAll(/--([a-z]+)/g, '`$1`')

const noteCodes = Object.entries(noteSentences).map(([code, sentence]) => `- \`${code}\`: ${sentenceOf(sentence)}`)

export const JobNoteRef = builder.objectRef<Job['notes'][number]>('JobNote').implement({
  description: 'Something that an import changed or assumed when it read the file.',
  fields: (t) => ({
    code: t.exposeString('code', { description: `Code of the note:\n${noteCodes.join('\n')}` }),
    column: t.exposeString('column', nullable('Column; null for the whole file.')),
    rows: t.exposeInt('rows', { description: 'Number of rows that the note is about.' }),
    example: t.exposeString('example', nullable('The first value that the note is about.')),
  }),
})
