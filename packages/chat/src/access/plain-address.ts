import { isIP } from 'node:net'
import { withoutPort } from '@parley/presence/address-block'

/** An address without a port, to record. `unknown` for anything that is not an address: it may be text of any length. */
export function plainAddress(text: string): string {
  const address = withoutPort(text)
  return isIP(address) === 0 ? 'unknown' : address
}
