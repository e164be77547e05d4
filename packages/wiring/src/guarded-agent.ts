import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector } from 'undici'

/** The target of a call is not an address of the public Internet. */
export class TargetRefused extends Error {
  override name = 'TargetRefused'
}

const maxAnswerBytes = 256 * 1024

/**
 * Makes connections to the servers that integrators name. Unless a setting allows others, it connects only to public
 * addresses. It checks the address it connects to, after the name is resolved, so that a name that changes its
 * address in between (DNS rebinding) gains nothing. It does not follow redirects.
 */
export function createGuardedAgent(options: { allowPrivate: boolean; timeoutMS: number; connections: number }): Agent {
  const { allowPrivate, timeoutMS, connections } = options
  const connect = buildConnector({
    timeout: timeoutMS,
    ...(!allowPrivate && { lookup: lookupPublic }),
  })
  return new Agent({
    connections,
    maxResponseSize: maxAnswerBytes,
    headersTimeout: timeoutMS,
    bodyTimeout: timeoutMS,
    connect: (target, callback) => {
      const address = target.hostname.replace(/^\[|\]$/g, '')
      // An address in the URL needs no lookup.
      if (!allowPrivate && isIP(address) !== 0 && !isPublic(address)) callback(refusal(address), null)
      else connect(target, callback)
    },
  })
}

/** Whether an address is a public one: not private, loopback, link-local or otherwise special. */
export function isPublic(address: string): boolean {
  // IPv4 inside IPv6 (::ffff:127.0.0.1) counts as IPv4.
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void

function lookupPublic(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, [])
    const refused = found.find(({ address }) => !isPublic(address))
    if (refused) return callback(refusal(refused.address), [])
    const [first] = found
    if (options.all || !first) callback(null, found)
    else callback(null, first.address, first.family)
  })
}

function refusal(address: string): TargetRefused {
  return new TargetRefused(`${address} is not an address of the public Internet`)
}
