import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

/** An object for the tests of the calling file or `describe`: made before all or each, released afterwards. */
export function fixture<Made extends object>(
  make: () => Promise<Made>,
  release: (made: Made) => unknown,
  per: 'all' | 'each' = 'all',
  timeoutMs?: number,
): Made {
  const made = {} as Made
  const [before, after] = per === 'all' ? [beforeAll, afterAll] : [beforeEach, afterEach]
  before(async () => {
    Object.assign(made, await make())
  }, timeoutMs)
  after(() => release(made))
  return made
}
