import { z } from 'zod'
import type { JwtOptions } from '../auth/jwt.ts'
import { jwtAlgorithms } from '../auth/jwt-algorithms.ts'
import { urlsOf } from '../database/connection/hosts.ts'
import { millisecondsOf, shown } from '../text.ts'

/** What the gateway runs with; docs/operations.md says what each variable means. */
export type Config = ReturnType<typeof readConfig>

/** More processes than this make one gateway no faster: run several. */
export const maxWorkers = 16

const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .default('false')
  .transform((value) => value === 'true')

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const isUrl = (value: string, schemes: string[]) => URL.canParse(value) && schemes.includes(new URL(value).protocol)
const postgres = ['postgres:', 'postgresql:']

const url = (schemes: string[]) =>
  z.string().refine((value) => isUrl(value, schemes), {
    error: `must be a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
  })

const databaseUrl = z.string().refine((value) => urlsOf(value).every((one) => isUrl(one, postgres)), {
  error: 'must be a URL such as postgresql://user:password@host/database, with one host or several separated by commas',
})

const environment = z.object({
  host: z.string().default('127.0.0.1'),
  port: wholeNumber(0, 65_535).default(4000),
  databaseUrl: databaseUrl.optional(),
  databaseDirectUrl: url(postgres).optional(),
  databaseReadUrl: z.string().transform(replicasOf).default([]),
  databasePooling: z.enum(['session', 'transaction'], 'must be session or transaction').optional(),
  databasePoolSize: wholeNumber(2, 1_000).default(10),
  dataDir: z.string().default('.data'),
  bootstrapToken: z
    .string()
    .regex(
      /^[!-~]{16,4096}$/,
      'must have 16 to 4096 characters, all of them visible ASCII: no other fits into a header',
    )
    .optional(),
  filterUrl: url(['http:', 'https:']).optional(),
  filterTimeoutMs: wholeNumber(50, 600_000).default(2_000),
  globalConfig: url(['https:', 'http:', 'file:']).optional(),
  globalConfigRefreshMs: wholeNumber(100, 2_147_483_647).default(60_000),
  metricsPublic: flag,
  mcp: z.enum(['off', 'read', 'write'], 'must be off, read or write').default('read'),
  mcpMaxAffected: wholeNumber(1, 1_000_000).default(1_000),
  logLevel: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
  jwtIssuer: z.string().optional(),
  jwtAudience: z.string().optional(),
  jwtJwksUrl: url(['https:', 'http:']).optional(),
  jwtAlgorithms: z.string().transform(algorithmsOf).optional(),
  rateLimit: z
    .union(
      [z.literal(['off', '0']).transform(() => undefined), wholeNumber(1, 1_000_000)],
      'must be off or a whole number of requests a minute',
    )
    .optional(),
  rateLimitStore: z.enum(['memory', 'postgres'], 'must be memory or postgres').optional(),
  corsOrigins: z.string().transform(originsOf).default([]),
  persistedDocuments: z.string().optional(),
  persistedDocumentsOnly: flag,
  introspection: z.enum(['all', 'admin'], 'must be all or admin').default('all'),
  pageCacheMb: wholeNumber(0, 4_096).default(32),
  workers: wholeNumber(1, maxWorkers).default(1),
  jobsRetention: z.string().default('7d').transform(durationOf),
  changesRetention: z.union(
    [z.literal('0').transform(Number), z.string().default('30d').transform(durationOf)],
    'must be 0 or a duration such as 30d, 12h or 45m',
  ),
  quotaQueuedJobs: wholeNumber(1, 10_000).default(20),
  quotaJobOutputMb: wholeNumber(1, 1_000_000).default(1_024),
})

/** The variables whose values may have a secret: errors do not show them. */
const secretive = /url|token|config$|jwt/i

/** Reads environment variables; an empty one counts as unset. The error names each bad variable. */
export function readConfig(env: Record<string, string | undefined>) {
  const names = Object.keys(environment.shape)
  const parsed = environment.safeParse(
    Object.fromEntries(names.map((name) => [name, env[variableOf(name)] || undefined])),
  )
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => {
      const name = variableOf(path.join('.'))
      return `${name} ${message}${secretive.test(name) ? '' : `; got ${shown(env[name])}`}`
    })
    throw new Error(`the environment is not usable: ${problems.join('; ')}`)
  }
  const values = parsed.data
  return { ...values, jwt: jwtOf(values), isRateLimitShared: isRateLimitShared(values) }
}

/** The environment variable of a name: `DATABASE_URL` for `databaseUrl`. */
function variableOf(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase()
}

/** All three are set or none: a token's issuer without its keys says nothing. */
function jwtOf(values: z.output<typeof environment>): JwtOptions | undefined {
  const { jwtIssuer: issuer, jwtAudience: audience, jwtJwksUrl: jwksUrl, jwtAlgorithms: algorithms } = values
  if (issuer !== undefined && audience !== undefined && jwksUrl !== undefined) {
    return { issuer, audience, jwksUrl, algorithms }
  }
  if (issuer === undefined && audience === undefined && jwksUrl === undefined) return undefined
  throw new Error('the environment is not usable: JWT_ISSUER, JWT_AUDIENCE and JWT_JWKS_URL must be set together')
}

/** Workers that count in their own memory would let each token make the limit's requests once per worker. */
function isRateLimitShared({ rateLimit, rateLimitStore, workers }: z.output<typeof environment>): boolean {
  if (rateLimit !== undefined && rateLimitStore === 'memory' && workers > 1) {
    throw new Error('the environment is not usable: RATE_LIMIT_STORE=memory needs one worker; use postgres')
  }
  return (rateLimitStore ?? (workers > 1 ? 'postgres' : 'memory')) === 'postgres'
}

function algorithmsOf(text: string, context: z.RefinementCtx): string[] {
  const names = text.split(',').map((name) => name.trim())
  if (!names.every((name) => jwtAlgorithms.includes(name)))
    context.addIssue(`must be some of ${jwtAlgorithms.join(', ')}, separated by commas`)
  return names
}

function durationOf(text: string, context: z.RefinementCtx): number {
  const milliseconds = millisecondsOf(text)
  if (milliseconds === undefined) context.addIssue('must be a duration such as 7d, 12h or 45m')
  return milliseconds ?? 0
}

function replicasOf(text: string, context: z.RefinementCtx): string[] {
  const urls = text.split(',').map((one) => one.trim())
  const expected = 'must be URLs such as postgresql://user:password@host/database, one per replica, separated by commas'
  if (!urls.every((one) => isUrl(one, postgres))) context.addIssue(expected)
  return urls
}

/** Origins as browsers send them: a scheme, a host and perhaps a port. Never `*`: who is to be let in has a name. */
function originsOf(text: string, context: z.RefinementCtx): string[] {
  const origins = text.split(',').map((origin) => origin.trim())
  const isOrigin = (origin: string) => URL.canParse(origin) && new URL(origin).origin === origin
  if (!origins.every(isOrigin)) context.addIssue('must be origins such as https://shop.example, separated by commas')
  return origins
}

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .refine((value) => /^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)
}

/** The settings in force by the names of their variables, with secrets masked. Throws as `readConfig` does. */
export function settingsOf(env: Record<string, string | undefined>) {
  readConfig(env)
  return Object.keys(environment.shape).map((key) => {
    const name = variableOf(key)
    const given = env[name] || undefined
    const value = given ?? environment.shape[key as keyof typeof environment.shape].safeParse(undefined).data
    const text = value === undefined || Array.isArray(value) ? undefined : String(value)
    const ofDuration = given === undefined && key.endsWith('Retention') ? `${Number(text) / 86_400_000}d` : text
    return {
      name,
      value: masked(key, Array.isArray(value) ? value.join() || undefined : ofDuration),
      isDefault: !given,
    }
  })
}

/** Without tokens, and without what URLs have before an `@` or in their parameters. */
function masked(key: string, value: string | undefined): string | undefined {
  if (key === 'bootstrapToken' && value !== undefined) return '***'
  return value?.replace(/(?<=:\/\/).*@/, '***@').replaceAll(/(?<=[?&][^=&]*=)[^&,]*/g, '***')
}
