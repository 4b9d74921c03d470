import { inject } from 'vitest'
import type { Call, Reply } from '../clients/http.ts'
import { databaseUrl, type TestDatabase } from '../database/database.ts'

/** The position of the last write to each database, as the answers of all gateways say. */
const written = new Map<string, string>()

/** The replica of the run that gateways on a database read from, if there is one. */
export function replicasOf({ direct }: TestDatabase): string[] {
  const replica = inject('replicaServer')
  return replica ? [databaseUrl({ ...replica, database: String(direct.database) })] : []
}

/** A client that takes answers of any age which have its writes: all of them could come from the replica. */
export function readYourWrites(database: TestDatabase, send: (call: Call) => Promise<Reply>) {
  const name = String(database.direct.database)
  return async (call: Call): Promise<Reply> => {
    const after = written.get(name)
    const headers = {
      prefer: 'stale-while=60s',
      ...(after !== undefined && { 'x-catalogue-after': after }),
      ...call.headers,
    }
    const reply = await send({ ...call, headers })
    const position = reply.headers['x-catalogue-position']
    if (typeof position === 'string' && numberOf(position) > numberOf(written.get(name) ?? '0/0'))
      written.set(name, position)
    return reply
  }
}

function numberOf(position: string): bigint {
  const [high = '', low = ''] = position.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}
