import { sql } from 'kysely'
import { storeKey } from './store-key.ts'
import type { WriteView } from './viewer.ts'

/** 2^26 bits: of 3,000,000 URLs one in 4,000 is asked for in vain, of 30,000,000 every other. */
const bits = 26

/**
 * Which URLs a store certainly has no asset of, so that an import that fills a store need not ask for each. It knows that of a store that had none when it first looked, as long
 * as nobody else writes assets there: who does changes the versions of the store's ranges, and then it knows nothing any more.
 */
export class NewUrls {
  private readonly storeUuid: string
  private state: { versions: string; filter: Int32Array } | 'unknown' | 'not yet' = 'not yet'

  constructor(storeUuid: string) {
    this.storeUuid = storeUuid
  }

  /** Looks whether others have written. The caller holds the store's lock on groups. One statement, two the first time. */
  async begin(db: WriteView): Promise<void> {
    if (this.state === 'unknown') return
    const versions = await readVersions(db, this.storeUuid)
    if (this.state !== 'not yet') {
      if (this.state.versions !== versions) this.state = 'unknown'
    } else if (await hasAssets(db, this.storeUuid)) this.state = 'unknown'
    else this.state = { versions, filter: new Int32Array(2 ** bits / 32) }
  }

  /** Those of the URLs that the store may have an asset of. All of them count as the store's from now on. */
  add(urls: Iterable<string>): string[] {
    if (typeof this.state === 'string') return [...urls]
    const { filter } = this.state
    const known: string[] = []
    for (const url of urls) if (mark(filter, url)) known.push(url)
    return known
  }

  /** Takes the versions as they are after the caller has written. One statement. */
  async end(db: WriteView): Promise<void> {
    if (typeof this.state !== 'string') this.state.versions = await readVersions(db, this.storeUuid)
  }
}

/** Marks four bits for a text, and says whether all of them were marked. */
function mark(filter: Int32Array, text: string): boolean {
  let a = 0x811c9dc5
  let b = 0x9e3779b9
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ unit, 0x85ebca6b)
  }
  a = Math.imul(a ^ (a >>> 15), 0xc2b2ae35)
  b = Math.imul(b ^ (b >>> 13), 0xc2b2ae35) | 1
  let wasMarked = true
  for (let nth = 0; nth < 4; nth++) {
    const bit = (a + Math.imul(nth, b)) >>> (32 - bits)
    const word = filter[bit >>> 5] ?? 0
    const mask = 1 << (bit & 31)
    if ((word & mask) === 0) wasMarked = false
    filter[bit >>> 5] = word | mask
  }
  return wasMarked
}

/** What grows with every change of a group of the store's. */
async function readVersions(db: WriteView, storeUuid: string): Promise<string> {
  const { rows } = await sql<{ versions: string }>`
    select coalesce(sum(version), 0)::text as versions from asset_group_total where store_uuid = ${storeUuid}::uuid`.execute(
    db,
  )
  return rows[0]?.versions ?? ''
}

async function hasAssets(db: WriteView, storeUuid: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from asset where store_uuid = ${storeKey(storeUuid)} order by store_uuid, asset_id limit 1`.execute(db)
  return rows.length > 0
}
