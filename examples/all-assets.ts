import { createCatalogueClient } from '../rest/client/catalogue-client.ts'
import { CatalogueApiError } from '../rest/client/send.ts'

// Lists every image of a store by REST with the typed client.
// Run it with BASE, TOKEN and STORE in the environment: npx node examples/all-assets.ts

const { BASE = 'http://127.0.0.1:4000', TOKEN = '', STORE = '' } = process.env
const catalogue = createCatalogueClient({ baseUrl: `${BASE}/v1`, token: TOKEN })

try {
  for await (const { parent_code, assets } of catalogue.allAssets({ store_uuid: STORE })) {
    for (const { asset_id, ...url } of assets) console.log(parent_code, asset_id, ...Object.values(url))
  }
} catch (error) {
  if (!(error instanceof CatalogueApiError)) throw error
  console.error(`${error.reason}: ${error.message} (request ${error.requestId})`)
  process.exitCode = 1
}
