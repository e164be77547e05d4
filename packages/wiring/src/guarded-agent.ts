import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector } from 'undici'

/** The target of a call is not an address that calls may go to. */
export class TargetRefused extends Error {
  override name = 'TargetRefused'
}

/** Whether calls may go beside the public Internet: nowhere, everywhere, or to loopback and nowhere else. */
export type PrivateTargets = boolean | 'loopback'

const defaultAnswerBytes = 256 * 1024

/**
 * Makes connections to the servers that integrators name. Unless a setting allows others, it connects only to public
 * addresses. It checks the address it connects to, after the name is resolved, so that a name that changes its
 * address in between (DNS rebinding) gains nothing. It does not follow redirects.
 */
export function createGuardedAgent(options: {
  allowPrivate: PrivateTargets
  timeoutMS: number
  connections: number
  /** A longer answer fails. By default 256 KiB; -1 for none. */
  maxAnswerBytes?: number
}): Agent {
  const { allowPrivate, timeoutMS, connections, maxAnswerBytes = defaultAnswerBytes } = options
  const mayCall = allowPrivate === 'loopback' ? isLoopback : isPublic
  const connect = buildConnector({
    timeout: timeoutMS,
    lookup: allowPrivate === true ? lookupAny : lookupAllowed(mayCall),
  })
  return new Agent({
    connections,
    maxResponseSize: maxAnswerBytes,
    headersTimeout: timeoutMS,
    bodyTimeout: timeoutMS,
    connect: (target, callback) => {
      const address = target.hostname.replace(/^\[|\]$/g, '')
      // An address in the URL needs no lookup.
      if (allowPrivate !== true && isIP(address) !== 0 && !mayCall(address)) callback(refusal(address), null)
      else connect(target, callback)
    },
  })
}

/** Whether an address is a public one: not private, loopback, link-local or otherwise special. */
export function isPublic(address: string): boolean {
  // IPv4 inside IPv6 (::ffff:127.0.0.1) counts as IPv4.
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void

function lookupAny(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  lookupShared(hostname, options, (error, found) => respond(error, found, options, callback))
}

function lookupAllowed(mayCall: (address: string) => boolean): typeof lookupAny {
  return (hostname, options, callback) =>
    lookupShared(hostname, options, (error, found) => {
      const refused = found.find(({ address }) => !mayCall(address))
      if (refused) callback(refusal(refused.address), [])
      else respond(error, found, options, callback)
    })
}

function respond(
  error: NodeJS.ErrnoException | null,
  found: readonly LookupAddress[],
  { all }: LookupOptions,
  callback: LookupCallback,
): void {
  const [first] = found
  if (error || all || !first) callback(error, [...found])
  else callback(null, first.address, first.family)
}

type Waiting = (error: NodeJS.ErrnoException | null, found: readonly LookupAddress[]) => void
const asking = new Map<string, Waiting[]>()

/**
 * Looks a name up once for all that wait for it. A lookup holds a thread of the process until the name servers respond or
 * its own, long deadline is over, also when its call was given up: a name with silent servers would take all threads, and
 * with them the lookups of all other names.
 */
function lookupShared(hostname: string, options: LookupOptions, callback: Waiting): void {
  const name = `${options.family ?? 0} ${options.hints ?? 0} ${hostname}`
  const others = asking.get(name)
  if (others) {
    others.push(callback)
    return
  }
  const waiting = [callback]
  lookup(hostname, { ...options, all: true }, (error, found) => {
    asking.delete(name)
    for (const each of waiting) each(error, error ? [] : found)
  })
  asking.set(name, waiting)
}

function refusal(address: string): TargetRefused {
  return new TargetRefused(`${address} is not an address that calls may go to`)
}
