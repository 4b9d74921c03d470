import { z } from 'zod'
import type { JwtOptions } from '../auth/jwt.ts'
import { jwtAlgorithms } from '../auth/jwt-algorithms.ts'

/** What the gateway runs with; README.md says what each variable means. */
export type Config = ReturnType<typeof readConfig>

/** More processes than this make one gateway no faster: run several. */
export const maxWorkers = 16

const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .default('false')
  .transform((value) => value === 'true')

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const url = (schemes: string[]) =>
  z.string().refine((value) => URL.canParse(value) && schemes.includes(new URL(value).protocol), {
    error: `must be a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
  })

const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(4000),
  DATABASE_URL: url(['postgres:', 'postgresql:']).optional(),
  DATA_DIR: z.string().default('.data'),
  BOOTSTRAP_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  FILTER_URL: url(['http:', 'https:']).optional(),
  FILTER_TIMEOUT_MS: wholeNumber(50, 600_000).default(2_000),
  GLOBAL_CONFIG: url(['https:', 'http:', 'file:']).optional(),
  GLOBAL_CONFIG_REFRESH_MS: wholeNumber(100, 2_147_483_647).default(60_000),
  METRICS_PUBLIC: flag,
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().optional(),
  JWT_JWKS_URL: url(['https:', 'http:']).optional(),
  JWT_ALGORITHMS: z.string().transform(algorithmsOf).optional(),
  RATE_LIMIT: z
    .union(
      [z.literal(['off', '0']).transform(() => undefined), wholeNumber(1, 1_000_000)],
      'must be off or a whole number of requests a minute',
    )
    .optional(),
  RATE_LIMIT_STORE: z.enum(['memory', 'postgres'], 'must be memory or postgres').optional(),
  CORS_ORIGINS: z.string().transform(originsOf).default([]),
  PERSISTED_DOCUMENTS: z.string().optional(),
  PERSISTED_DOCUMENTS_ONLY: flag,
  INTROSPECTION: z.enum(['all', 'admin'], 'must be all or admin').default('all'),
  PAGE_CACHE_MB: wholeNumber(0, 4_096).default(32),
  WORKERS: wholeNumber(1, maxWorkers).default(1),
})

/** Reads the configuration from environment variables; an empty one counts as unset. Throws an error that names each bad variable, not its value. */
export function readConfig(env: Record<string, string | undefined>) {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = environment.safeParse(given)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)
    throw new Error(`the environment is not usable: ${problems.join('; ')}`)
  }
  const values = parsed.data
  return {
    host: values.HOST,
    port: values.PORT,
    databaseUrl: values.DATABASE_URL,
    dataDir: values.DATA_DIR,
    bootstrapToken: values.BOOTSTRAP_TOKEN,
    filterUrl: values.FILTER_URL,
    filterTimeoutMs: values.FILTER_TIMEOUT_MS,
    globalConfigUrl: values.GLOBAL_CONFIG,
    globalConfigRefreshMs: values.GLOBAL_CONFIG_REFRESH_MS,
    logLevel: values.LOG_LEVEL,
    jwt: jwtOf(values),
    introspection: values.INTROSPECTION,
    rateLimit: values.RATE_LIMIT,
    rateLimitShared: isRateLimitShared(values),
    corsOrigins: values.CORS_ORIGINS,
    persistedDocumentsFile: values.PERSISTED_DOCUMENTS,
    persistedDocumentsOnly: values.PERSISTED_DOCUMENTS_ONLY,
    metricsPublic: values.METRICS_PUBLIC,
    pageCacheMb: values.PAGE_CACHE_MB,
    workers: values.WORKERS,
  }
}

/** All three are set or none: a token's issuer without its keys says nothing. */
function jwtOf(values: z.output<typeof environment>): JwtOptions | undefined {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: jwksUrl, JWT_ALGORITHMS: algorithms } = values
  if (issuer !== undefined && audience !== undefined && jwksUrl !== undefined) {
    return { issuer, audience, jwksUrl, algorithms }
  }
  if (issuer === undefined && audience === undefined && jwksUrl === undefined) return undefined
  throw new Error('the environment is not usable: JWT_ISSUER, JWT_AUDIENCE and JWT_JWKS_URL must be set together')
}

/** Workers that count in their own memory would let each token make the limit's requests once per worker. */
function isRateLimitShared({ RATE_LIMIT, RATE_LIMIT_STORE, WORKERS }: z.output<typeof environment>): boolean {
  if (RATE_LIMIT !== undefined && RATE_LIMIT_STORE === 'memory' && WORKERS > 1) {
    throw new Error('the environment is not usable: RATE_LIMIT_STORE=memory needs one worker; use postgres')
  }
  return (RATE_LIMIT_STORE ?? (WORKERS > 1 ? 'postgres' : 'memory')) === 'postgres'
}

function algorithmsOf(text: string, context: z.RefinementCtx): string[] {
  const names = text.split(',').map((name) => name.trim())
  if (!names.every((name) => jwtAlgorithms.includes(name)))
    context.addIssue(`must be some of ${jwtAlgorithms.join(', ')}, separated by commas`)
  return names
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
