import { readFile, writeFile } from 'node:fs/promises'
import openapiTS, { astToString } from 'openapi-typescript'

/**
 * Writes the types of the client into the file given: what openapi-typescript makes of the queries, bodies and data of
 * docs/openapi.json. Headers, the status of answers and refused ones are not for callers: the client reads them itself.
 */
const root = new URL('../', import.meta.url)
const {
  paths,
  components,
  webhooks: _,
  ...document
} = JSON.parse(await readFile(new URL('docs/openapi.json', root), 'utf8'))

function ofOperation({ parameters, responses, ...operation }) {
  return {
    ...operation,
    parameters: parameters.filter((parameter) => parameter.in),
    responses: { 200: { description: '', content: responses[200].content } },
  }
}

/** An answer without `status`. */
function dataOf({ properties: { status: _, ...properties }, required, ...answer }) {
  return { ...answer, properties, required: required.filter((name) => name !== 'status') }
}

const schemas = Object.entries(components.schemas).map(([name, schema]) => [
  name,
  name.endsWith('Answer') ? dataOf(schema) : schema,
])
const operations = Object.entries(paths).map(([path, methods]) => [
  path,
  Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, ofOperation(operation)])),
])
const nodes = await openapiTS({
  ...document,
  paths: Object.fromEntries(operations),
  components: { schemas: Object.fromEntries(schemas) },
})
const used = nodes.filter(({ name }) => ['components', 'operations'].includes(name?.text))
const comment = '/** Made by tools/client-types.js of docs/openapi.json. Do not change it by hand. */'
await writeFile(process.argv[2], `${comment}\n\n${astToString(used)}`)
