import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import type { Allowed } from './addresses.ts'
import { isLoopbackName } from './target.ts'

/** In all about 10 s, less than a request may take. */
const limits = { timeout: 3_000, tries: 2 }

/**
 * Makes the function that resolves names which users give: by the DNS servers, without a thread. The system's lookups
 * share two threads until their servers answer: those of silent ones would delay all others, also the database's. It
 * resolves only what the operator may have in files of the machine.
 */
export function createLookup(allowed: Allowed, servers?: readonly string[]): LookupFunction {
  return (host, options, callback) => {
    if (allowed.hasHost(host) || isLoopbackName(host)) return systemLookup(host, options, callback)
    resolve(host, servers).then(
      (found) => callback(null, found),
      (error) => callback(error, []),
    )
  }
}

/** The addresses of a name; those of one family, if the other has none. */
async function resolve(host: string, servers: readonly string[] | undefined): Promise<LookupAddress[]> {
  // A new one, as the machine's servers may have changed.
  const resolver = new Resolver(limits)
  if (servers) resolver.setServers(servers)
  const of4 = resolver.resolve4(host).then(addressesOf(4))
  const of6 = resolver.resolve6(host).then(addressesOf(6))
  const found = (await Promise.allSettled([of4, of6])).flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  return found.length > 0 ? found : of4
}

const addressesOf = (family: 4 | 6) => (addresses: string[]) => addresses.map((address) => ({ address, family }))
