import { Kind, print } from 'graphql'
import { z } from 'zod'
import { successOf } from '../answers.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Enumerations } from '../shapes.ts'
import { type Example, keptExamples } from './examples.ts'
import { errorResponses, notModified, successResponse } from './responses.ts'
import type { Json, Schemas } from './schemas.ts'

/** The GraphQL operation that an endpoint runs, with variables to try it with. */
export interface Twin {
  name: string
  document: string
  variables: Record<string, unknown>
}

/** An endpoint as an operation of the document. */
export function operationOf(
  endpoint: Endpoint,
  { enumerations, examples, schemas }: { enumerations: Enumerations; examples: readonly Example[]; schemas: Schemas },
): Json {
  const { about, success, takesBody, dependsOnFilter, version } = endpoint
  const { query, body } = endpoint.shapes(enumerations)
  const own = examples.filter(({ method, path }) => method === endpoint.method && path === endpoint.path)
  const good = own.filter(({ status }) => status === 200)
  const twin = twinOf(endpoint, enumerations, examples)
  const id = twin.name
  const namesStore = ['store_uuid', 'linked_store_id'].some((name) => name in query.shape)
  return {
    operationId: id.charAt(0).toLowerCase() + id.slice(1),
    tags: [tagOf(endpoint)],
    summary: about.summary,
    description: about.description,
    ...(about.isExtension && { 'x-extension': true }),
    'x-graphql': { ...twin, href: `/graphql?operation=${id}` },
    parameters: [
      ...queryParameters(query, endpoint.repeatable ?? [], schemas),
      { $ref: '#/components/parameters/XRequestId' },
      ...(takesBody ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ...(version ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
    ],
    ...(takesBody && body && { requestBody: requestBody(schemas.named(`${id}Body`, body), good) }),
    responses: {
      200: successResponse(schemas.named(`${id}Answer`, successOf(success, about.answer)), good, version !== undefined),
      ...(version && { 304: notModified }),
      ...errorResponses({ takesBody, dependsOnFilter: dependsOnFilter ?? false, namesStore }),
    },
  }
}

/** The operations of all endpoints, each with a line that says which endpoint it is. */
export function graphqlTwins(endpoints: readonly Endpoint[], enumerations: Enumerations): Twin[] {
  return endpoints.map((endpoint) => {
    const twin = twinOf(endpoint, enumerations, keptExamples)
    const hint = `# What ${endpoint.method} /v1${endpoint.path} runs. The variables are an example: put a storeUuid of yours into them.`
    return { ...twin, document: `${hint}\n${twin.document}` }
  })
}

/** What the endpoint runs, with the variables of its first good example. */
export function twinOf(endpoint: Endpoint, enumerations: Enumerations, examples: readonly Example[]): Twin {
  const { document } = endpoint
  const named = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  const example = examples.find(
    ({ method, path, status }) => method === endpoint.method && path === endpoint.path && status === 200,
  )
  const query = endpoint.shapes(enumerations).query.safeParse(example?.query)
  const variables = query.success ? endpoint.variables(query.data, example?.body) : {}
  return { name: named?.name?.value ?? '', document: print(document), variables }
}

/** The first part of its path: `Assets`, `Products`, `Stores`. */
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

/** A default is what a shape puts out, which the schema of what it takes leaves away. */
function defaultOf(shape: unknown): unknown {
  return shape instanceof z.ZodDefault ? shape.def.defaultValue : undefined
}

function requestBody(schema: Json, good: readonly Example[]): Json {
  const examples = Object.fromEntries(good.map(({ name, summary, body }) => [name, { summary, value: body }]))
  return { required: true, content: { 'application/json': { schema, ...(good.length > 0 && { examples }) } } }
}
