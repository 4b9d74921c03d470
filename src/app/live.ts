import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { createAuthentication } from '../auth/authentication.ts'
import type { Database } from '../database/tables.ts'
import { createHub, type Hub } from '../live/hub.ts'
import { createStreams, type StreamLimits, type Streams } from '../live/streams.ts'

/** The sources of the events that clients receive. */
export interface Live {
  hub: Hub
  streams: Streams
}

export function createLive(
  { db, log, streamLimits }: { db: Kysely<Database>; log: Logger; streamLimits?: Partial<StreamLimits> | undefined },
  authenticate: ReturnType<typeof createAuthentication>,
): Live {
  return { hub: createHub(db, log), streams: createStreams(authenticate, streamLimits) }
}
