import { type DocumentNode, Kind, print, visit } from 'graphql'
import { z } from 'zod'
import type { Endpoint } from '../endpoint.ts'
import type { Enumerations } from '../request/shapes.ts'
import { successOf } from '../response/data-shapes.ts'
import { type Example, keptExamples } from './examples.ts'
import { errorResponses, notModified, successResponse } from './responses.ts'
import type { Json, Schemas } from './schemas.ts'

/** The GraphQL operation that an endpoint runs, with example variables. */
export interface Twin {
  name: string
  document: string
  variables: Record<string, unknown>
}

/** The OpenAPI operation of an endpoint. */
export function operationOf(
  endpoint: Endpoint,
  { enumerations, examples, schemas }: { enumerations: Enumerations; examples: readonly Example[]; schemas: Schemas },
): Json {
  const { success, takesBody, dependsOnFilter, isVersioned = false } = endpoint
  const { query, body } = endpoint.shapes(enumerations)
  const own = examples.filter(({ method, path }) => method === endpoint.method && path === endpoint.path)
  const good = own.filter(({ status }) => status === 200)
  const twin = twinOf(endpoint, enumerations, examples)
  const id = twin.name
  const namesStore = ['store_uuid', 'linked_store_id'].some((name) => name in query.shape)
  return {
    operationId: id.charAt(0).toLowerCase() + id.slice(1),
    tags: [tagOf(endpoint)],
    summary: endpoint.summary,
    description: endpoint.description,
    ...(endpoint.isExtension && { 'x-extension': true }),
    'x-graphql': { ...twin, href: `/graphql?operation=${id}` },
    parameters: [
      ...queryParameters(query, endpoint.repeatable ?? [], schemas),
      { $ref: '#/components/parameters/XRequestId' },
      ...(takesBody ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ...(isVersioned ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
    ],
    ...(takesBody && body && { requestBody: requestBody(schemas.named(`${id}Body`, body), good) }),
    responses: {
      200: successResponse(schemas.named(`${id}Answer`, successOf(success, endpoint.answer)), good, isVersioned),
      ...(isVersioned && { 304: notModified }),
      ...errorResponses({ takesBody, dependsOnFilter: dependsOnFilter ?? false, namesStore }),
    },
  }
}

/** The GraphQL operations of all endpoints, each with a comment that names its endpoint. */
export function graphqlTwins(endpoints: readonly Endpoint[], enumerations: Enumerations): Twin[] {
  return endpoints.map((endpoint) => {
    const twin = twinOf(endpoint, enumerations, keptExamples)
    const hint = `# The operation of ${endpoint.method} /v1${endpoint.path}. Set storeUuid to one of your stores.`
    return { ...twin, document: `${hint}\n${twin.document}` }
  })
}

/** The GraphQL operation of an endpoint, with the variables of its first successful example. */
export function twinOf(endpoint: Endpoint, enumerations: Enumerations, examples: readonly Example[]): Twin {
  const { document } = endpoint
  const named = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  const example = examples.find(
    ({ method, path, status }) => method === endpoint.method && path === endpoint.path && status === 200,
  )
  const { query, body } = endpoint.shapes(enumerations)
  const variables = example
    ? endpoint.variables(query.parse(example.query), body?.parse(example.body), example.body)
    : {}
  return { name: named?.name?.value ?? '', document: print(forGraphqlClients(document)), variables }
}

/** The document without the names of REST and its whole lists: a GraphQL client takes lists of the usual length, within the cost limit of its token. */
function forGraphqlClients(document: DocumentNode): DocumentNode {
  return visit(document, {
    Field: ({ alias, ...field }) => alias && field,
    Argument: ({ name }) => (name.value === 'first' ? null : undefined),
  })
}

/** The tag of an endpoint, made from the first segment of its path: `Assets`, `Products`, `Stores`. */
export function tagOf({ path }: Endpoint): string {
  const [first = ''] = path.slice(1).split('/')
  return first.charAt(0).toUpperCase() + first.slice(1)
}

function queryParameters(query: z.ZodObject, repeatable: readonly string[], schemas: Schemas): Json[] {
  const { properties = {}, required = [] } = schemas.of(query) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => {
    const fallback = defaultOf(query.shape[name])
    const isList = repeatable.includes(name)
    return {
      name,
      in: 'query',
      description,
      required: required.includes(name),
      schema: isList
        ? { type: 'array', items: schema }
        : { ...schema, ...(fallback !== undefined && { default: fallback }) },
      ...(isList && { style: 'form', explode: true }),
    }
  })
}

/** The default of a parameter: the JSON Schema of a shape's input does not contain it. */
function defaultOf(shape: unknown): unknown {
  return shape instanceof z.ZodDefault ? shape.def.defaultValue : undefined
}

function requestBody(schema: Json, good: readonly Example[]): Json {
  const examples = Object.fromEntries(good.map(({ name, summary, body }) => [name, { summary, value: body }]))
  return { required: true, content: { 'application/json': { schema, ...(good.length > 0 && { examples }) } } }
}
