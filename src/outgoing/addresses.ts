import { BlockList, isIP } from 'node:net'

/** The addresses and hosts that an operator opens to outgoing requests by OUTGOING_ALLOW. */
export type Allowed = ReturnType<typeof readAllowed>

/** IPv4 addresses that are not public unicast (IANA special-purpose registry). */
const special4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/3'],
]
/** The same within 2000::/3, with 6to4 and Teredo, which embed IPv4 addresses. NAT64 is outside. */
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const [isSpecial4, isSpecial6, isGlobal6] = [special4, special6, ['2000::/3']].map(listOf)

/** Whether an address is public unicast. Addresses that embed an IPv4 address are not. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return isSpecial4?.check(address, 'ipv4') === false
  if (isIP(address) !== 6) return false
  return isGlobal6?.check(address, 'ipv6') === true && isSpecial6?.check(address, 'ipv6') === false
}

/** Whether the text is an address, a range of addresses or the name of a host. */
export function isAllowable(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0) return /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(text) && !/^[\d.]+$/.test(text)
  return rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widthOf(family)))
}

export function readAllowed(entries: readonly string[]) {
  const isRange = (entry: string) => isIP(entry.split('/')[0] ?? '') > 0
  const ranges = listOf(entries.filter(isRange))
  const hosts = new Set(entries.filter((entry) => !isRange(entry)).map((entry) => entry.toLowerCase()))
  return {
    hasRanges: entries.some(isRange),
    hasHost: (host: string) => hosts.has(host.toLowerCase()),
    hasAddress: (address: string) => isIP(address) > 0 && ranges.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6'),
  }
}

function listOf(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address)
    list.addSubnet(address, Number(bits ?? widthOf(family)), family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

function widthOf(family: number): number {
  return family === 4 ? 32 : 128
}
