import { ApiError, type ErrorCode } from '@parley/contracts/errors'
import { addressBlock } from '@parley/presence/address-block'
import type { RequestCounts } from '@parley/presence/request-counts'

const windowMS = 60_000
const codes: ReadonlySet<ErrorCode> = new Set(['INVALID_API_KEY', 'INVALID_CLIENT_KEY', 'INVALID_TOKEN'])

/** Whether a login failed because its key or token is unknown. */
export function isFailedLogin(error: unknown): error is ApiError {
  return error instanceof ApiError && codes.has(error.code)
}

/** Failed logins by address, over REST and sockets, all gateways and nodes (docs/reference/README.md#authentication). */
export interface FailedLogins {
  /**
   * Counts one. A valid key or token never counts, so that one bad client does not lock out the office that shares its
   * address. Only a lookup shows which it is, so every key and token is looked up.
   * @param address as text; all of an IPv6 /64 count as one
   * @returns for how many seconds the address gets 429 in place of 401; 0 while it has not failed too often
   */
  count(address: string): number
}

/** @param perAddress how many may fail in a minute; 0 is no limit */
export function createFailedLogins(counts: Pick<RequestCounts, 'hit'>, perAddress: number): FailedLogins {
  return {
    count(address) {
      if (perAddress === 0) return 0
      const { count, leftMS } = counts.hit(`failed logins ${addressBlock(address)}`, windowMS)
      return count > perAddress ? Math.ceil(leftMS / 1_000) : 0
    },
  }
}

/** The error message for an address that has failed too often. */
export function tooManyFailedLogins(seconds: number): string {
  return `too many failed logins from this address: try again in ${seconds} s`
}
