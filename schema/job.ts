import { findJob } from '../src/jobs/find-job.ts'
import { type Job, type JobCounts, type JobProblem, rateOf } from '../src/jobs/job.ts'
import { countOutput, readPart } from '../src/jobs/parts.ts'
import { builder } from './builder.ts'

const JobKind = builder.enumType('JobKind', {
  description: 'What a job does.',
  values: {
    IMPORT: { value: 'import', description: 'Brings products and their assets into the store.' },
    EXPORT: { value: 'export', description: "Writes the store's products and their assets as text." },
  } satisfies Record<string, { value: Job['kind']; description: string }>,
})

const JobState = builder.enumType('JobState', {
  description: 'How far a job is.',
  values: {
    QUEUED: { value: 'queued', description: 'It waits for its turn.' },
    RUNNING: {
      value: 'running',
      description: 'It is under way; `heartbeatAt` says when it last showed a sign of life.',
    },
    SUCCEEDED: {
      value: 'succeeded',
      description: 'It came to its end. Rows of an import may have failed: see `counts`.',
    },
    FAILED: {
      value: 'failed',
      description: 'It did not come to its end: `error` says why. What was written before stands.',
    },
  } satisfies Record<string, { value: Job['state']; description: string }>,
})

const JobCountsRef = builder.objectRef<JobCounts>('JobCounts').implement({
  description:
    'What became of the rows of an import. Each is counted in one of created, updated, unchanged and failed.',
  fields: (t) => ({
    created: t.exposeInt('created', { description: 'Products that were new.' }),
    updated: t.exposeInt('updated', { description: 'Products that were there and changed.' }),
    unchanged: t.exposeInt('unchanged', { description: 'Rows that changed no product.' }),
    failed: t.exposeInt('failed', { description: 'Rows with a problem.' }),
    assetsAdded: t.exposeInt('assetsAdded', { description: 'Assets that were new to the store.' }),
    linksAdded: t.exposeInt('linksAdded', { description: "Places in products' groups that were new." }),
  }),
})

const JobProblemRef = builder.objectRef<JobProblem>('JobProblem').implement({
  description: 'One thing that is wrong with one row of an import.',
  fields: (t) => ({
    row: t.exposeInt('row', { description: 'The row, from 1, without the header.' }),
    line: t.exposeInt('line', {
      nullable: true,
      description: 'The line that it begins on, where the format has lines.',
    }),
    productCode: t.exposeString('productCode', { nullable: true, description: 'Its product code, if it has one.' }),
    field: t.exposeString('field', { nullable: true, description: 'The column; null: the row as a whole.' }),
    reason: t.exposeString('reason', { description: 'What was expected and what came.' }),
  }),
})

export const JobRef = builder.objectRef<Job>('Job').implement({
  description:
    'An import or export that the gateway does in the background. It belongs to its store, goes on when the gateway is restarted, and is kept for seven days after its end.',
  fields: (t) => ({
    jobId: t.exposeID('jobId', { description: 'The UUID of the job.' }),
    storeUuid: t.exposeID('storeUuid', { description: 'The store that it belongs to.' }),
    kind: t.expose('kind', { type: JobKind, description: 'What it does.' }),
    state: t.expose('state', { type: JobState, description: 'How far it is.' }),
    rowsDone: t.int({
      description: 'How many rows of the file are worked, or products written.',
      resolve: ({ counts }) => counts.rows,
    }),
    counts: t.field({
      type: JobCountsRef,
      description: 'What became of the rows of an import.',
      resolve: ({ counts }) => counts,
    }),
    problems: t.field({
      type: [JobProblemRef],
      description: 'The first 20 things that are wrong with rows; `output` has all rows that failed.',
      resolve: ({ problems }) => problems,
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why it did not come to its end, if it failed.' }),
    rate: t.float({ nullable: true, description: 'Rows a second so far; null before it has begun.', resolve: rateOf }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked for.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true, description: 'When it was begun.' }),
    heartbeatAt: t.expose('heartbeatAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it last showed a sign of life: every two seconds while it runs.',
    }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
    outputParts: t.int({
      description: 'How many parts of `output` there are by now.',
      resolve: (job, _args, { db }) => countOutput(db, job),
    }),
    output: t.string({
      nullable: true,
      description:
        'What came out of it, in parts: the file of an export, or the rows of an import that failed, in the format that they came in with what is wrong with each, to be mended and imported again. The parts one behind the other are the text. null behind the last.',
      args: { part: t.arg.int({ defaultValue: 0, description: 'The part, from 0.', validate: { min: 0 } }) },
      resolve: async (job, { part }, { db }) => (await readPart(db, job, 'output', part ?? 0)) ?? null,
    }),
  }),
})

builder.queryField('job', (t) =>
  t.field({
    type: JobRef,
    nullable: true,
    description:
      'The job of this id; null when there is none, or the token may not see its store. Ask again to see how far it is.',
    args: { id: t.arg.id({ required: true, description: 'The UUID of the job.' }) },
    resolve: async (_root, { id }, { db }) => (await findJob(db, id)) ?? null,
  }),
)
