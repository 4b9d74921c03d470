import { z } from 'zod'
import type { JwtOptions } from '../auth/jwt.ts'
import { jwtAlgorithms } from '../auth/jwt-algorithms.ts'
import { isAllowable } from '../outgoing/addresses.ts'
import { shown } from '../text.ts'
import {
  databaseUrl,
  duration,
  flag,
  isOrigin,
  isUrl,
  listOf,
  postgres,
  size,
  url,
  wholeNumber,
} from './config-values.ts'

/** The settings of the gateway; docs/operations.md describes each variable. */
export type Config = ReturnType<typeof readConfig>

/** More processes do not make a gateway faster: run several gateways. */
export const maxWorkers = 16

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const environment = z.object({
  host: z.string().default('127.0.0.1'),
  port: wholeNumber(0, 65_535).default(4000),
  databaseUrl: databaseUrl.optional(),
  databaseDirectUrl: url(postgres).optional(),
  databaseReadUrl: listOf(
    (one) => isUrl(one, postgres),
    'must be URLs such as postgresql://user:password@host/database, one per replica, separated by commas',
  ).default([]),
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
  jwtAlgorithms: listOf(
    (name) => jwtAlgorithms.includes(name),
    `must be some of ${jwtAlgorithms.join(', ')}, separated by commas`,
  ).optional(),
  rateLimit: z
    .union(
      [z.literal(['off', '0']).transform(() => undefined), wholeNumber(1, 1_000_000)],
      'must be off or a whole number of requests a minute',
    )
    .optional(),
  rateLimitStore: z.enum(['memory', 'postgres'], 'must be memory or postgres').optional(),
  corsOrigins: listOf(isOrigin, 'must be origins such as https://shop.example, or null for files, separated by commas')
    .transform((origins) => origins.map((origin) => origin.replace(/\/$/, '')))
    .default([]),
  outgoingAllow: listOf(
    isAllowable,
    'must be addresses, ranges such as 10.0.0.0/8, and names of hosts, separated by commas',
  ).default([]),
  persistedDocuments: z.string().optional(),
  persistedDocumentsOnly: flag,
  introspection: z.enum(['all', 'admin'], 'must be all or admin').default('all'),
  pageCacheMb: wholeNumber(0, 4_096).default(32),
  workers: wholeNumber(1, maxWorkers).default(1),
  jobsRetention: duration('7d'),
  changesRetention: z.union(
    [z.literal('0').transform(Number), duration('30d')],
    'must be 0 or a duration such as 30d, 12h or 45m',
  ),
  quotaQueuedJobs: wholeNumber(1, 10_000).default(20),
  quotaJobOutputMb: wholeNumber(1, 1_000_000).default(1_024),
  importMax: size('256MiB'),
})

/** The variables whose values may contain a secret: errors do not show them. */
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
  const jobQuotas = { queued: values.quotaQueuedJobs, keptMb: values.quotaJobOutputMb }
  return { ...values, jwt: jwtOf(values), isRateLimitShared: isRateLimitShared(values), jobQuotas }
}

/** The environment variable of a name: `DATABASE_URL` for `databaseUrl`. */
function variableOf(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase()
}

/** Either all three variables are set, or none. */
function jwtOf(values: z.output<typeof environment>): JwtOptions | undefined {
  const { jwtIssuer: issuer, jwtAudience: audience, jwtJwksUrl: jwksUrl, jwtAlgorithms: algorithms } = values
  if (issuer !== undefined && audience !== undefined && jwksUrl !== undefined) {
    return { issuer, audience, jwksUrl, algorithms }
  }
  if (issuer === undefined && audience === undefined && jwksUrl === undefined) return undefined
  throw new Error('the environment is not usable: JWT_ISSUER, JWT_AUDIENCE and JWT_JWKS_URL must be set together')
}

/** With several workers the count is shared: otherwise each of them would allow the limit. */
function isRateLimitShared({ rateLimit, rateLimitStore, workers }: z.output<typeof environment>): boolean {
  if (rateLimit !== undefined && rateLimitStore === 'memory' && workers > 1) {
    throw new Error('the environment is not usable: RATE_LIMIT_STORE=memory needs one worker; use postgres')
  }
  return (rateLimitStore ?? (workers > 1 ? 'postgres' : 'memory')) === 'postgres'
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

/** The value without tokens, and without the credentials and parameters of URLs. */
function masked(key: string, value: string | undefined): string | undefined {
  if (key === 'bootstrapToken' && value !== undefined) return '***'
  return value?.replace(/(?<=:\/\/).*@/, '***@').replaceAll(/(?<=[?&][^=&]*=)[^&,]*/g, '***')
}
