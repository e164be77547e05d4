import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector } from 'undici'

/** Calls to the target's address are not allowed. */
export class TargetRefused extends Error {
  override name = 'TargetRefused'
}

/** Whether a call failed because its target's address is not allowed. */
export function isTargetRefused(error: unknown): boolean {
  return error instanceof TargetRefused || (error instanceof Error && isTargetRefused(error.cause))
}

/** Which private addresses calls may go to: none (false), all (true), or only loopback, and no public address. */
export type PrivateTargets = boolean | 'loopback'

const defaultAnswerBytes = 256 * 1024

/**
 * Creates an agent for calls to integrators' servers. Unless configured otherwise, it connects to public addresses
 * only. It checks the resolved address that it connects to, which prevents DNS rebinding. It does not follow redirects.
 */
export function createGuardedAgent(options: {
  allowPrivate: PrivateTargets
  timeoutMS: number
  connections: number
  /** A longer response fails. Default 256 KiB; -1 for no limit. */
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
      // IP addresses in the URL skip the lookup, so check them here.
      if (allowPrivate !== true && isIP(address) !== 0 && !mayCall(address)) callback(refusal(address), null)
      else connect(target, callback)
    },
  })
}

/** Whether an address is public: not private, loopback, link-local or otherwise special. */
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
 * Looks a name up once for all waiting callers. A lookup holds a thread of the pool until the name servers respond or
 * it times out, even if its call was aborted. Without sharing, a name with silent servers would occupy all threads and
 * block all other lookups.
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
  return new TargetRefused(`calls to the address ${address} are not allowed`)
}
