import { setTimeout as pause } from 'node:timers/promises'
import { runEvery } from './run-every.ts'

/** How long a killed holder blocks others. */
const tenSeconds = 10_000
/** Renewals per lease. */
const renewals = 5

/** A lease in a database. Each function compares and changes it in one write. */
export interface Lease {
  /** Takes the lease for `leaseMS`, or returns when that of another holder ends. */
  take(leaseMS: number): Promise<number | undefined>
  /** @returns whether the lease was still held */
  renew(leaseMS: number): Promise<boolean>
  end(): Promise<void>
  /** The error if another process keeps renewing the lease. */
  busy(): Error
  /** The error if the lease has expired and another process has taken it. */
  lost(): Error
}

/**
 * Runs work that a second process must not run at the same time. Waits for the lease of a killed process to expire.
 * @param work awaits its argument before each write: it throws once the lease is lost
 */
export async function runAlone<T>(
  lease: Lease,
  work: (requireAlone: () => Promise<void>) => Promise<T>,
  leaseMS = tenSeconds,
): Promise<T> {
  let heldAtMS = await take(lease, leaseMS)
  const ended = new AbortController()
  const renew = async () => {
    const nowMS = performance.now()
    if (await lease.renew(leaseMS)) heldAtMS = nowMS
  }
  // A failed renewal is retried. The work continues only under a valid lease.
  const renewing = runEvery(leaseMS / renewals, renew, { onError: () => undefined, signal: ended.signal })
  const isHeld = () => performance.now() <= heldAtMS + leaseMS
  try {
    return await work(async () => {
      // On a busy machine the lease may expire, but it is lost only if another process has taken it.
      if (!isHeld()) await renew()
      if (!isHeld()) throw lease.lost()
    })
  } finally {
    ended.abort()
    await renewing
    await lease.end()
  }
}

/** @returns since when the lease is held. A lease that is not renewed is that of a killed process. */
async function take(lease: Lease, leaseMS: number): Promise<number> {
  let before: number | undefined
  for (;;) {
    const nowMS = performance.now()
    const until = await lease.take(leaseMS)
    if (until === undefined) return nowMS
    if (before !== undefined && until !== before) throw lease.busy()
    before = until
    await pause(500)
  }
}
