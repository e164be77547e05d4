import { BlockList, isIPv6 } from 'node:net'
import { withoutPort } from '@parley/presence/address-block'

export type Allows = (address: string) => boolean

/** @param networks in CIDR notation; undefined allows every address */
export function allowedFrom(networks: readonly string[] | undefined): Allows {
  if (!networks) return () => true
  const list = new BlockList()
  for (const network of networks) list.addSubnet(...partsOf(network))
  return (text) => {
    const address = withoutPort(text).replace(/%.*$/, '')
    return list.check(address, familyOf(address))
  }
}

export function isInside(network: string, others: readonly string[]): boolean {
  const [start, prefix, family] = partsOf(network)
  return others.some((other) => {
    const [, otherPrefix, otherFamily] = partsOf(other)
    return family === otherFamily && otherPrefix <= prefix && allowedFrom([other])(start)
  })
}

function partsOf(network: string): [start: string, prefix: number, family: 'ipv4' | 'ipv6'] {
  const [start = '', prefix] = network.split('/')
  return [start, Number(prefix), familyOf(start)]
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}
