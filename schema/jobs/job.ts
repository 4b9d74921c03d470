import { findJob, findJobs, type Job, rateOf, type ShownState, stateOf } from '../../src/jobs/job.ts'
import { countOutput, readPart } from '../../src/jobs/parts.ts'
import { isUuid } from '../../src/text.ts'
import { builder, type Fields } from '../builder/builder.ts'
import { connectionCost, countedPage, keysetConnection, perStore } from '../builder/lists.ts'
import { nullable, nullableTime, requiredLookup } from '../builder/options.ts'
import { enumOf } from '../enumerations.ts'
import { StoreRef } from '../stores/store.ts'
import { JobCountsRef, JobNoteRef, JobProblemRef } from './import-report.ts'

export const JobKind = enumOf<Job['kind']>('JobKind', 'Kind of a job.', {
  import: 'Import of products and their assets into the store.',
  export: "Export of the store's products and their assets as a file.",
})

const JobState = enumOf<ShownState>('JobState', 'State of a job.', {
  uploading: 'Its file is being received. If the upload is cut, the job is deleted.',
  queued: 'Waiting to be picked up.',
  running: 'In progress; `heartbeatAt` is the time of the last sign of progress.',
  succeeded: 'Finished, and nothing failed.',
  'succeeded with failures':
    'Finished, but rows or images of the import failed: see `counts`, `problems` and `output`.',
  failed: 'Ended by an error, see `error`. Rows that were written before the error are kept.',
})

export const FileFormat = enumOf('FileFormat', 'File format.', {
  csv: 'Comma-separated values with a header row; imports recognize other separators.',
  jsonl: 'JSON Lines: one object per line.',
  json: 'A JSON array of objects. Imports only.',
  xml: 'An XML feed (RSS, Atom). Imports only.',
  xlsx: 'A spreadsheet. Only `POST /v1/imports` and `catalog import` read it, and files compressed by gzip.',
})

type JobHead = Parameters<typeof stateOf>[0] &
  Pick<Job, 'jobId' | 'kind' | 'error' | 'createdAt' | 'startedAt' | 'finishedAt'>

export const jobFields = (t: Fields<JobHead>) => ({
  jobId: t.exposeID('jobId', { description: 'UUID of the job.' }),
  kind: t.expose('kind', { type: JobKind, description: 'Kind of the job.' }),
  state: t.field({ type: JobState, description: 'State of the job.', resolve: stateOf }),
  error: t.exposeString('error', nullable('Cause of the failure of the job; null unless it failed.')),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the request.' }),
  startedAt: t.expose('startedAt', nullableTime('Time at which the job was started; null while it is queued.')),
  finishedAt: t.expose('finishedAt', nullableTime('Time at which the job succeeded or failed; null before.')),
})

export const JobRef = builder.objectRef<Job>('Job')

builder.node(JobRef, {
  id: { resolve: ({ jobId }) => jobId },
  loadManyWithoutCache: async (jobIds, { catalogue }) => [...(await findJobs(catalogue, jobIds)).values()],
  description:
    'An import or export that runs in the background, or an import of the command line, which has no `output`. It belongs to a store, continues after a restart of the gateway, and is deleted some time after its end: seven days, unless configured otherwise.',
  fields: (t) => ({
    ...jobFields(t),
    storeUuid: t.exposeID('storeUuid', { description: 'UUID of the store that the job belongs to.' }),
    rowsDone: t.int({
      description: 'Progress: number of rows processed (import), or of products written (export).',
      resolve: ({ counts }) => counts.rows,
    }),
    counts: t.expose('counts', {
      type: JobCountsRef,
      description: 'Counts of an import so far; all zero for other jobs.',
    }),
    problems: t.expose('problems', {
      type: [JobProblemRef],
      description: 'The first 20 faults of the import. `output` contains all rows that failed.',
    }),
    notes: t.expose('notes', {
      type: [JobNoteRef],
      description: 'What the import changed or assumed when it read the file; empty until its end.',
    }),
    format: t.field({
      type: FileFormat,
      nullable: true,
      description: 'Format of the file of an import; null until it is read, and for exports.',
      resolve: ({ recognized }) => recognized.format ?? null,
    }),
    encoding: t.string({
      nullable: true,
      description:
        'Encoding of the file of an import, such as `Windows-1252`; null for XLSX, for exports, and until it is read.',
      resolve: ({ recognized }) => recognized.encoding ?? null,
    }),
    delimiter: t.string({
      nullable: true,
      description: 'Separator of the cells of CSV; null for other formats, for exports, and until it is read.',
      resolve: ({ recognized }) => recognized.delimiter ?? null,
    }),
    requestId: t.exposeString(
      'requestId',
      nullable('Request id of the recorded changes of an import; null if none are recorded.'),
    ),
    rate: t.float({
      nullable: true,
      description: 'Mean throughput in rows per second; null before the job has started.',
      resolve: rateOf,
    }),
    heartbeatAt: t.expose(
      'heartbeatAt',
      nullableTime('Time of the last sign of progress; renewed every two seconds while the job runs.'),
    ),
    outputParts: t.int({
      extensions: { access: 'read' },
      description: 'Number of parts of `output` that are available at present.',
      resolve: (job, _args, { catalogue }) => countOutput(catalogue.db, job),
    }),
    output: t.string({
      nullable: true,
      description:
        'One part of the output file. Concatenate the parts from 0 until null. Export: the exported file. Import: the rows that failed, in the format of the input with the cause of each, ready to be corrected and imported again. Their bytes that are not in UTF-8 are replaced by U+FFFD, except in Base64.',
      args: {
        part: t.arg.int({ defaultValue: 0, description: 'Number of the part, from 0.', validate: { min: 0 } }),
        base64: t.arg.boolean({ defaultValue: false, description: 'Whether the part is returned in Base64.' }),
      },
      resolve: async (job, { part, base64 }, { catalogue }) => {
        const bytes = await readPart(catalogue.db, job, 'output', part ?? 0)
        return bytes?.toString(base64 ? 'base64' : 'utf8') ?? null
      },
    }),
  }),
})

builder.queryField('job', (t) =>
  t.field({
    type: JobRef,
    nullable: true,
    description:
      'Finds a job; null when there is none or when the token has no access to its store. Poll this field for the progress of a job.',
    args: { id: t.arg.id(requiredLookup('UUID of the job.')) },
    resolve: async (_root, { id }, { catalogue }) => (await findJob(catalogue, id)) ?? null,
  }),
)

const JobFilterInput = builder.inputType('JobFilter', {
  description: 'Filter for jobs. All given conditions must hold.',
  fields: (t) => ({
    kind: t.field({ type: [JobKind], description: 'Jobs of one of these kinds.' }),
    state: t.field({ type: [JobState], description: 'Jobs in one of these states.' }),
  }),
})

builder.objectField(StoreRef, 'jobs', (t) =>
  t.connection(
    {
      type: JobRef,
      complexity: perStore(connectionCost),
      description: 'Jobs of the store in the order of their creation: the newest are those of `last`.',
      args: { filter: t.arg({ type: JobFilterInput, description: 'Filter. Default: all jobs.' }) },
      resolve: ({ storeUuid }, { filter, ...args }, { loaders }) =>
        keysetConnection<Job>(args, {
          name: 'jobs',
          keyOf: ({ jobId }) => jobId,
          isKey: isUuid,
          read: (page) => loaders.jobs([filter ?? {}, page]).load(storeUuid),
          count: () => loaders.jobCount(filter ?? {}).load(storeUuid),
        }),
    },
    { name: 'JobConnection', ...countedPage('jobs') },
    { name: 'JobEdge', description: 'A job and its cursor.' },
  ),
)
