import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { endpoints } from '../../../rest/endpoints.ts'
import { openApiDocument } from '../../../rest/openapi/document.ts'
import { keptExamples } from '../../../rest/openapi/responses.ts'
import { fallbackEnumerations } from '../../../src/catalogue/enumerations.ts'
import { httpStatus } from '../../../src/errors.ts'
import { useGateway } from '../../support/servers/gateway.ts'

interface Operation {
  operationId: string
  parameters: { name?: string; in?: string }[]
  responses: Record<string, { $ref?: string; description?: string; content?: Record<string, { examples?: object }> }>
  'x-graphql': { name: string; document: string; variables: object; href: string }
}

const document = openApiDocument(endpoints, fallbackEnumerations, '0.0.0')
const paths = document.paths as Record<string, Record<string, Operation>>
/** Their answers are files. */
const files = ['getImportFailures']
const operations = Object.values(paths).flatMap((path) => Object.values(path))

describe('the OpenAPI document', () => {
  const gateway = useGateway()

  it('is served without a token, as it is committed, and to GET only', async () => {
    const { status, text, headers } = await gateway.call('/v1/openapi.json', { token: null })
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    const committed = await readFile(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')
    expect(JSON.parse(text)).toEqual(JSON.parse(committed))
    const refused = await gateway.call('/v1/openapi.json', { method: 'DELETE', token: null })
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it('names as types of events in webhooks those that the gateway takes', async () => {
    const webhooks = document.webhooks as Record<string, { post: { description: string } }>
    const descriptions = Object.values(webhooks).map(({ post }) => post.description)
    const documented = descriptions.flatMap((text) => [...text.matchAll(/`(\w+\.\w+)`/g)].map(([, type]) => type))
    const { text } = await gateway.call('/v1/events?types=nonsense')
    expect(documented.toSorted()).toEqual(text.match(/\b[a-z]+\.[a-z]+\b/g)?.toSorted())
  })

  it('says of each success what every member of its data is', () => {
    for (const { operationId, responses } of operations.filter(({ operationId }) => !files.includes(operationId))) {
      expect(responses[200]?.description, operationId).toMatch(/^`data` has:\n(\n- `\w+`: \w.*)+$/)
      expect(responses[200]?.description, operationId).not.toContain('undefined')
    }
  })

  it('has each endpoint of the table with all its parameters, and nothing else', () => {
    const expected = endpoints.map(({ method, path, shapes }) => ({
      method,
      path,
      query: Object.keys(shapes(fallbackEnumerations).query.shape),
    }))
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters }]) => ({
        method: method.toUpperCase(),
        path,
        query: parameters.filter(({ in: place }) => place === 'query' || place === 'path').map(({ name }) => name),
      })),
    )
    expect(new Set(found)).toEqual(new Set(expected))
    expect(found).toHaveLength(expected.length)
  })

  it('has examples of success for each operation, and of every error that can be brought about', () => {
    for (const operation of operations) {
      const contents = Object.values(operation.responses[200]?.content ?? {})
      const examples = contents.flatMap((content) => Object.keys(content.examples ?? {}))
      expect(examples.length, operation.operationId).toBeGreaterThan(0)
    }
    const shown = new Set(keptExamples.map(({ status }) => status))
    const possible = Object.entries(httpStatus).filter(([reason]) => !unshown.includes(reason))
    expect(possible.filter(([, status]) => !shown.has(status))).toEqual([])
  })

  it('names the GraphQL operation of each, with variables that it takes', async () => {
    for (const { 'x-graphql': operation } of operations.filter(({ operationId }) => operationId !== 'followChanges')) {
      const hasVariables = Object.keys(operation.variables).length > 0
      expect(hasVariables, operation.name).toBe(/\$\w+:/.test(operation.document))
      const { errors } = await gateway.graphql(operation.document, { ...operation.variables, dryRun: true })
      const unexpected = errors?.filter(({ extensions: { code } }) => !/^(store|request|webhook)_not_found$/.test(code))
      expect(unexpected ?? []).toEqual([])
    }
  })
})

/** Reasons that no request can bring about at will, or none of a documented operation. */
const unshown = ['internal_error', 'not_found', 'method_not_allowed']
