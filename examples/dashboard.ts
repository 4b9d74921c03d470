import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { print } from 'graphql'
import { DashboardDocument } from './dashboard-operations.ts'

// A GraphQL client in a few lines: the query is in dashboard.graphql, and its types are generated from the schema (`npm
// run codegen`). Run it with BASE and TOKEN in the environment: npx node examples/dashboard.ts

const { BASE = 'http://127.0.0.1:4000', TOKEN = '' } = process.env

/** Runs a document and returns its data, typed as the document says; throws when the answer has errors. */
async function ask<Data, Variables>(document: TypedDocumentNode<Data, Variables>, variables: Variables): Promise<Data> {
  const answer = await fetch(`${BASE}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: print(document), variables }),
  })
  const { data, errors } = (await answer.json()) as { data?: Data; errors?: { message: string }[] }
  if (errors || !data) throw new Error(errors?.map(({ message }) => message).join('; ') ?? 'no data came')
  return data
}

const { stores } = await ask(DashboardDocument, { products: 2 })
console.log(`${stores.totalCount} stores`)
for (const { node } of stores.edges) {
  const products = node.productCounts.reduce((sum, { count }) => sum + count, 0)
  console.log(`${node.storeName}: ${products} products, ${node.products.totalCount} of them active`)
  for (const { node: product } of node.products.edges) {
    const images = product.assetGroups.flatMap(({ assets }) => assets).length
    console.log(`  ${product.productCode} ${product.attributes['Product Name'] ?? ''}: ${images} images`)
  }
}
