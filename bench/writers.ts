import { alternate, rateRows } from './alternate.ts'
import { stores } from './data.ts'
import { load, type Target } from './load.ts'
import type { Server } from './servers.ts'
import { table } from './table.ts'

/** Writers of one store, each adding an asset to some group of 200,000: 1, 8 and 32 at once, one after the other. */
export async function writers(gateway: Server, seconds: number, rounds: number): Promise<string> {
  const counts = Object.fromEntries([1, 8, 32].map((count) => [`${count} at once`, count]))
  const perSecond = await alternate(counts, rounds, async (count, round) => {
    return (await load(additions(gateway, `${round}-${count}-${Date.now()}`), count, seconds)).perSecond
  })
  return table(['writers of one store', 'writes/s', 'ratio'], rateRows(perSecond))
}

export function additions({ url }: Server, run: string): Target {
  const requests = Array.from({ length: 5_000 }, (_, i) => ({
    path: `/v1/assets?store_uuid=${stores.big}`,
    body: JSON.stringify([
      {
        parent_code: `SKU-${String((i * 7_919) % 200_000).padStart(7, '0')}`,
        asset_type: 'image',
        assets: { 'Image URL 9': `https://assets.example.com/${run}/${i}.jpg` },
      },
    ]),
  }))
  return { url, method: 'POST', headers: { 'content-type': 'application/json' }, requests }
}
