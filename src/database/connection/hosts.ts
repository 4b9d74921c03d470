import pg from 'pg'

const authority = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s

/** A URL for each host of one that names several, such as `postgresql://user@one:5432,two:5433/database`. */
export function urlsOf(databaseUrl: string): string[] {
  const [, before = '', hosts = '', after = ''] = authority.exec(databaseUrl) ?? []
  return hosts.includes(',') ? hosts.split(',').map((host) => before + host + after) : [databaseUrl]
}

/** The server takes no writes, though the URL asks for a primary. PostgreSQL uses this code for writes to a standby. */
class IsStandby extends Error {
  override readonly name = 'IsStandby'
  readonly code = '25006'
}

/** Throws if the server is a standby, but the URL asks for a primary (libpq: target_session_attrs). */
export async function refuseStandby(client: pg.ClientBase, { connectionString = '' }: pg.ClientConfig): Promise<void> {
  if (asksForPrimary(connectionString) && (await isStandby(client))) throw new IsStandby('the server is a standby')
}

/**
 * Whether a host answers a new connection in time, and is a primary if the URL asks for one. A server that refuses it,
 * such as a full one, answers; one that starts or stops does not.
 */
export async function serves(connectionString: string, withinMs: number): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: withinMs, query_timeout: withinMs })
  client.on('error', () => {})
  try {
    await client.connect()
    return !(asksForPrimary(connectionString) && (await isStandby(client)))
  } catch (error) {
    return error instanceof pg.DatabaseError && !error.code?.startsWith('57P')
  } finally {
    client.end().catch(() => {})
  }
}

function asksForPrimary(url: string): boolean {
  return /^(read-write|primary)$/.test(URL.parse(url)?.searchParams.get('target_session_attrs') ?? '')
}

async function isStandby(client: pg.ClientBase): Promise<boolean> {
  // Unlike `select`, a standby answers it at any isolation level.
  const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only')
  return rows[0]?.transaction_read_only === 'on'
}

/** Opens a connection to the current host. If that fails, tries the other hosts in order. */
export function createFailover(options: pg.ClientConfig, urls: readonly string[]) {
  const next = (url: string | undefined) => urls[(urls.indexOf(url ?? '') + 1) % urls.length]
  return async <T>(open: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      const { connectionString } = options
      try {
        return await open()
      } catch (error) {
        if (attempt >= urls.length) throw error
        // Another request may have changed it already.
        if (options.connectionString === connectionString) options.connectionString = next(connectionString)
      }
    }
  }
}
