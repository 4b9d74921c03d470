import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import type { Allowed } from './addresses.ts'
import { isLoopbackName } from './target.ts'

/** A try at one server. A name has two at each. */
const limits = { timeout: 3_000, tries: 2 }
/** Of all tries together: less than a connection may take to open, which is 10 s. */
const wholeMs = 8_000
/** For the other family, once the addresses of one are known. */
const otherFamilyMs = 1_000

/**
 * Makes the function that resolves names which users give: by the DNS servers, without a thread. The system's lookups
 * share two threads until their servers answer: those of silent ones would delay all others, also the database's. It
 * resolves only what the operator may have in files of the machine, or by a search domain: what OUTGOING_ALLOW names,
 * and all names where it has ranges.
 */
export function createLookup(allowed: Allowed, servers?: readonly string[]): LookupFunction {
  return (host, options, callback) => {
    const isOfSystem = allowed.hasRanges || allowed.hasHost(host) || isLoopbackName(host)
    if (isOfSystem) return systemLookup(host, options, callback)
    resolve(host, servers).then(
      (found) => callback(null, found),
      (error) => callback(error, []),
    )
  }
}

/** The addresses of a name; those of one family, if the other has none, or its servers are silent. */
async function resolve(host: string, servers: readonly string[] | undefined): Promise<LookupAddress[]> {
  // A new one, as the machine's servers may have changed.
  const resolver = new Resolver(limits)
  if (servers) resolver.setServers(servers)
  const timers = [setTimeout(() => resolver.cancel(), wholeMs)]
  const of = (family: 4 | 6) => (addresses: string[]) => {
    timers.push(setTimeout(() => resolver.cancel(), otherFamilyMs))
    return addresses.map((address) => ({ address, family }))
  }
  const families = [resolver.resolve4(host).then(of(4)), resolver.resolve6(host).then(of(6))] as const
  const found = (await Promise.allSettled(families)).flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  for (const timer of timers) clearTimeout(timer)
  return found.length > 0 ? found : families[0]
}
