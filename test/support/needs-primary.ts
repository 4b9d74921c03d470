import { inject, type TestContext } from 'vitest'

/** Skips a test where gateways read from a replica that lags, for tests whose clients do not know the last write. */
export function needsPrimary(test: TestContext, reason: string): void {
  test.skip(inject('replicaServer') !== null, `needs answers of the primary: ${reason}`)
}
