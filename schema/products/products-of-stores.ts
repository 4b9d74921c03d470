import type { ListedProduct } from '../../src/catalogue/products/list/list-products.ts'
import { requireGoodFilter } from '../../src/catalogue/products/list/product-filter.ts'
import {
  countProductsOfStores,
  isKeyAmongStores,
  keyAmongStores,
  listProductsOfStores,
  requireOrderAmongStores,
} from '../../src/catalogue/products/list/products-of-stores.ts'
import { mostStores, storesToRead } from '../../src/catalogue/rows/rows-of-stores.ts'
import { builder } from '../builder/builder.ts'
import { connectionCost, keysetConnection, statementCost } from '../builder/connection.ts'
import { rowStoresArg } from '../dashboards/rows.ts'
import { ProductRef } from '../product.ts'
import { selectionCost } from './product-filter.ts'
import { listArgs, ProductConnection } from './product-lists.ts'

builder.queryField('products', (t) =>
  t.connection(
    {
      type: ProductRef,
      complexity: ({ storeUuids, ...args }) => ({
        ...connectionCost(args),
        field: statementCost + (10 + selectionCost(args)) * (storeUuids?.length ?? mostStores),
      }),
      description: `Products of several stores: one code everywhere, what changed last. Ordered by code by default, those that are equal by store. For one store use \`Store.products\`, which can order by attributes too. Errors: \`invalid_request\`, \`store_not_found\`.`,
      args: {
        ...listArgs,
        ...rowStoresArg,
      },
      resolve: async (_root, { filter, orderBy, storeUuids, ...args }, { catalogue, enumerations }) => {
        const [given, order] = [requireGoodFilter(filter, enumerations), requireOrderAmongStores(orderBy)]
        const stores = (await storesToRead(catalogue, storeUuids)).map(({ storeUuid }) => storeUuid)
        return {
          ...(await keysetConnection(
            args,
            (product: ListedProduct) => keyAmongStores(order, product),
            (page) => listProductsOfStores(catalogue, stores, given, page, order),
            (key) => isKeyAmongStores(order, key),
          )),
          totalCount: () => countProductsOfStores(catalogue, stores, given),
        }
      },
    },
    ProductConnection,
  ),
)
