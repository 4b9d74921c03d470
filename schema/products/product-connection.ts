import type { KeysetPage } from '../../src/catalogue/conditions.ts'
import type { ListedProduct } from '../../src/catalogue/products/find-products.ts'
import type { ProductCount } from '../../src/catalogue/products/lists/count-products.ts'
import type { ProductList } from '../../src/catalogue/products/lists/list-products.ts'
import { lazy } from '../../src/lazy.ts'
import { builder } from '../builder/builder.ts'
import { countedPage, keysetConnection, pageSizeOf } from '../builder/connection.ts'
import { ProductRef } from './product.ts'

type ProductConnection = Awaited<ReturnType<typeof productConnection>>

export const ProductConnectionRef = builder.connectionObject<typeof ProductRef, ProductConnection>(
  {
    type: ProductRef,
    name: 'StoreProductsConnection',
    description: 'A page of products.',
    fields: (t) => ({
      ...countedPage('products').fields(t),
      asOf: t.field({
        type: 'DateTime',
        description:
          'The list includes all changes until this time, and possibly later ones: a listed product may no longer match. Deleted products are left out, so a page may be shorter than `first`. The present time if the list is exact.',
        resolve: (connection) => connection.asOf(),
      }),
    }),
  },
  { name: 'StoreProductsConnectionEdge', description: 'A product and its cursor.' },
)

/** A connection over the products of lists, with the time of which they are. */
export async function productConnection(
  args: Parameters<typeof keysetConnection>[0],
  {
    read,
    count,
    ...source
  }: Omit<Parameters<typeof keysetConnection<ListedProduct>>[1], 'read' | 'count'> & {
    read: (page: KeysetPage) => Promise<ProductList>
    count: () => Promise<ProductCount>
  },
) {
  let list: Promise<ProductList> | undefined
  const counted = lazy(count)
  const connection = await keysetConnection<ListedProduct>(args, {
    ...source,
    isShown,
    read: async (page) => {
      list = read(page)
      return (await list).rows
    },
    count: async () => (await counted()).count,
  })
  // `read` sets `list`, unless no rows are asked for. A number that is counted after the page is at least of its time.
  const asOf = async () => {
    const answers = await Promise.all([list, pageSizeOf(args) === 0 ? counted() : undefined])
    return new Date(Math.min(...answers.map((answer) => answer?.asOf.getTime() ?? Number.POSITIVE_INFINITY)))
  }
  return Object.assign(connection, { asOf })
}

const isShown = ({ isDeleted }: ListedProduct) => !isDeleted
