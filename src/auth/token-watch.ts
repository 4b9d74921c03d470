import pg from 'pg'

/** Listens to what PostgreSQL tells of tokens that changed, on a connection of its own. */
export interface TokenWatch {
  close(): void
}

interface Watching {
  /** A token changed; undefined: any may have, as nobody listened for a while. */
  onChange(tokenId: string | undefined): void
  /** The first pause before a broken connection is made again; it doubles up to 30 s. */
  retryMs?: number
}

/**
 * Hears of changed tokens as long as the connection holds, and makes it again when it breaks. It is the fast way, not the sure one: a pooler in
 * between may drop what PostgreSQL says, so whoever trusts a token must ask for it again from time to time all the same.
 */
export function watchTokens(connection: pg.ClientConfig, { onChange, retryMs = 500 }: Watching): TokenWatch {
  let closed = false
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined
  let pause = retryMs

  const start = async () => {
    const fresh = new pg.Client({ ...connection, application_name: 'catalogue-gateway tokens', keepAlive: true })
    client = fresh
    fresh.on('error', () => {})
    fresh.on('end', again)
    fresh.on('notification', ({ payload }) => onChange(payload))
    try {
      await fresh.connect()
      await fresh.query('listen catalogue_token')
      pause = retryMs
      onChange(undefined)
    } catch {
      await fresh.end().catch(() => {})
      again()
    }
  }
  const again = () => {
    if (closed || retry) return
    retry = setTimeout(() => {
      retry = undefined
      void start()
    }, pause).unref()
    pause = Math.min(pause * 2, 30_000)
  }
  void start()
  return {
    close: () => {
      closed = true
      clearTimeout(retry)
      // Said, not waited for: where the network hangs there is no answer.
      client?.end().catch(() => {})
      unref(client)
    },
  }
}

/** Lets the process end before the connection does; `pg` has it, its types do not. */
function unref(client: (pg.Client & { unref?(): void }) | undefined): void {
  client?.unref?.()
}
