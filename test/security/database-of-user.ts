import { randomUUID } from 'node:crypto'
import { inject, onTestFinished } from 'vitest'
import { connect } from '../../src/database/connection/connect.ts'
import { tenantRole } from '../../src/database/tenant.ts'
import { queryOnce } from '../support/database/sql-client.ts'

/** An empty database of a user without further rights, for the calling test; `admin` runs a statement as superuser. */
export async function databaseOfUser(rights = '') {
  const server = inject('postgres')
  const name = `user_${randomUUID().replaceAll('-', '')}`
  const admin = (statement: string) => queryOnce({ ...server, database: 'postgres' }, statement)
  await admin(`create role ${name} login ${rights}`)
  await admin(`create database ${name} owner ${name}`)
  const db = connect({ ...server, user: name, database: name }, () => {})
  onTestFinished(async () => {
    await db.destroy()
    await admin(`drop database ${name} with (force)`)
    await admin(`revoke ${tenantRole} from ${name} cascade; drop role ${name}`)
  })
  return { db, name, admin }
}
