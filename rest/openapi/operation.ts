import { type DocumentNode, getOperationAST, Kind, type NameNode, print, visit } from 'graphql'
import type { z } from 'zod'
import { type Endpoint, valuesIn } from '../endpoint.ts'
import type { Enumerations } from '../request/shapes.ts'
import { successOf } from '../response/data-shapes.ts'
import { headerParameters, kindsOf } from './headers.ts'
import {
  content,
  errorResponses,
  fileContent,
  fileResponse,
  keptExamples,
  notModified,
  successResponse,
} from './responses.ts'
import type { Json, Schemas } from './schemas.ts'

export function operationOf(endpoint: Endpoint, enumerations: Enumerations, schemas: Schemas): Json {
  const { query, body } = endpoint.shapes(enumerations)
  const examples = examplesOf(endpoint)
  const operation = graphqlOperationOf(endpoint, enumerations)
  const id = operation.name
  const namesStore = ['store_uuid', 'store_uuids', 'linked_store_id'].some((name) => name in query.shape)
  const { kind } = endpoint.answers
  const answer = kind === 'file' || kind === 'events' ? {} : schemas.named(`${id}Answer`, successOf(endpoint))
  return {
    operationId: id.charAt(0).toLowerCase() + id.slice(1),
    tags: [tagOf(endpoint)],
    summary: endpoint.summary,
    description: endpoint.description,
    ...(!endpoint.isOfSpec && { 'x-extension': true }),
    'x-graphql': { ...operation, href: `/graphql?operation=${id}` },
    parameters: [...parameters(endpoint, query, schemas), ...headerParameters(kindsOf(endpoint))],
    ...(body && {
      requestBody: { required: true, content: content(schemas.named(`${id}Body`, body), examples, 'body') },
    }),
    ...(kind === 'upload' && { requestBody: { required: true, content: fileContent(examples) } }),
    responses: {
      200: kind === 'file' ? fileResponse(examples) : successResponse(answer, examples, endpoint),
      ...(kind === 'listing' && { 304: notModified }),
      ...errorResponses(endpoint, namesStore),
    },
  }
}

/** What the examples name, which a reader has under other names: a store, two products, an asset and two requests. */
export const exampleNames = {
  store: '019aa000-0000-7000-8000-000000000001',
  product: '1002',
  otherProduct: '1003',
  asset: '019aa000-0000-7000-8000-000000000004',
  request: 'example-updated-and-not',
  revertedRequest: 'example-a-link-removed',
}

/** The operations of REST for GraphiQL. */
export function graphqlExamples(endpoints: readonly Endpoint[], enumerations: Enumerations) {
  return endpoints.map((endpoint) => {
    const operation = graphqlOperationOf(endpoint, enumerations)
    return { ...operation, label: `${endpoint.method} /v1${endpoint.path}: ${operation.name}` }
  })
}

/** The GraphQL operation of an endpoint, with the variables of its first successful example. */
function graphqlOperationOf(endpoint: Endpoint, enumerations: Enumerations) {
  const { document } = endpoint
  const { query, body } = endpoint.shapes(enumerations)
  const [example] = examplesOf(endpoint)
  const given = Object.entries(example?.query ?? {})
  const listed = given.map(([name, value]) => [name, endpoint.lists?.includes(name) ? [value] : value])
  const variables = example
    ? endpoint.variables(
        query.parse({ ...Object.fromEntries(listed), ...valuesIn(endpoint.path, example.path) }),
        body?.parse(example.body),
        example.body,
      )
    : {}
  const name = getOperationAST(document)?.name?.value ?? ''
  return { name, document: print(forGraphqlClients(document)), variables }
}

function examplesOf(endpoint: Endpoint) {
  return keptExamples.filter(
    ({ method, path, status }) => method === endpoint.method && valuesIn(endpoint.path, path) && status === 200,
  )
}

/**
 * Drops the names of REST, fields that GraphQL has deprecated, and `first` where REST reads all: usual lists are within
 * the cost limit of a token.
 */
function forGraphqlClients(document: DocumentNode): DocumentNode {
  return visit(document, {
    Name: renamedBy({ region: 'regions', defaultAutomation: 'automations' }),
    FragmentDefinition: (fragment) =>
      fragment.typeCondition.name.value === 'ErrorInfo'
        ? visit(fragment, { Name: renamedBy({ reason: 'code' }) })
        : undefined,
    Field: ({ alias, ...field }) => alias && field,
    Argument: ({ name, value }) => (name.value === 'first' && value.kind === Kind.INT ? null : undefined),
  })
}

function renamedBy(names: Readonly<Record<string, string>>) {
  return (name: NameNode) => (name.value in names ? { ...name, value: names[name.value] } : undefined)
}

export function tagOf({ path }: Endpoint): string {
  const [first = ''] = path.slice(1).split('/')
  return first.charAt(0).toUpperCase() + first.slice(1)
}

function parameters({ path, lists = [] }: Endpoint, query: z.ZodObject, schemas: Schemas): Json[] {
  const { properties = {}, required = [] } = schemas.of(query) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: path.includes(`{${name}}`) ? 'path' : 'query',
    description,
    required: required.includes(name),
    schema,
    ...(lists.includes(name) && { style: 'form', explode: true }),
  }))
}
