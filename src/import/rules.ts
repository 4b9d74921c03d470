import { requireDefinitions } from '../catalog/attribute-definitions.ts'
import { type AttributeJudge, attributeJudge } from '../catalog/attribute-rules.ts'
import type { View } from '../catalog/viewer.ts'

/** What a store demanded of attributes when its definitions were read. */
export interface Rules {
  definitions: string
  judge: AttributeJudge
}

/** The rules of the store; `before` if they are the same still. Throws `store_not_found`. One statement. */
export async function readRules(db: View, storeUuid: string, before?: Rules): Promise<Rules> {
  const { definitions } = await requireDefinitions(db, storeUuid)
  const text = JSON.stringify(definitions)
  return text === before?.definitions ? before : { definitions: text, judge: attributeJudge(definitions) }
}

/** The rules are others than those that rows were judged by: they must be judged again. */
export class RulesChanged extends Error {
  override readonly name = 'RulesChanged'
}
