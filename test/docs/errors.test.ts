import { readFile } from 'node:fs/promises'
import { isEnumType, isObjectType } from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'
import { httpStatus } from '../../src/errors.ts'

it('the guide has the cause and the cure of every reason of an error, a failed item and a skipped item', async () => {
  const guide = await readFile(new URL('../../docs/rest.md', import.meta.url), 'utf8')
  const explained = [...guide.matchAll(/^\|(?: \d+ \|)? `(\w+)` \| [^|]+: [^|]+ \|$/gm)].map(([, reason]) => reason)
  const ofItems = schema.getType('ErrorReason')
  const skipped = schema.getType('SkippedItem')
  if (!isEnumType(ofItems) || !isObjectType(skipped)) throw new Error('the schema has other types')
  const ofSkipped = [...(skipped.getFields().reason?.description ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => code)
  expect(ofSkipped).toHaveLength(4)
  const reasons = [
    ...Object.keys(httpStatus),
    ...ofItems.getValues().map(({ name }) => name.toLowerCase()),
    ...ofSkipped,
  ]
  expect(new Set(explained)).toEqual(new Set(reasons))
})
