import pg from 'pg'

/** What one statement returns, on a connection of its own. */
export async function queryOnce(config: pg.ClientConfig, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ ...config })
  await client.on('error', () => {}).connect()
  return client.query(text).finally(() => client.end())
}

/** Whether a server accepts connections. */
export async function canConnect(config: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client({ ...config }).on('error', () => {})
  const connected = await client.connect().then(
    () => true,
    () => false,
  )
  await client.end().catch(() => {})
  return connected
}
