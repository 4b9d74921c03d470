import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { codeIndexAdvice, openSchemaAdvice } from '../database/advice.ts'
import type { Database } from '../database/tables.ts'
import { hasRowSecurity, tenantRole } from '../database/tenant.ts'

export function warnAtStart(db: Kysely<Database>, log: Logger): void {
  const warn = (message: Promise<string | false | undefined>) =>
    message.then((text) => text && log.warn(text)).catch(() => {})
  const noRowSecurity = `row-level security is off: the role ${tenantRole} cannot be used`
  void warn(hasRowSecurity(db).then((isUsable) => !isUsable && noRowSecurity))
  void warn(codeIndexAdvice(db))
  void warn(openSchemaAdvice(db))
}
