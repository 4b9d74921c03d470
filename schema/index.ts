import './asset.ts'
import './asset-group.ts'
import './asset-placement.ts'
import './attribute-definition.ts'
import './enumerations.ts'
import './error-info.ts'
import './job.ts'
import './job-start.ts'
import './product.ts'
import './product-write.ts'
import './store.ts'
import './token.ts'
import { builder } from './builder/builder.ts'

/** The whole GraphQL schema. Printed in schema.graphql. */
export const schema = builder.toSchema()
