import { setImmediate as nextTurn } from 'node:timers/promises'
import { createInFlight } from '@parley/async/in-flight'
import { watchOutage } from '@parley/async/outage'
import { startRunning } from '@parley/async/run-every'
import type { Presence } from './connect.ts'
import { nodeTtlMS } from './connection-counts.ts'
import { extendReport, type HeldDevice, userField, writeAll, writeFields } from './node-reports.ts'

/** Reports a realtime node's connected devices to Redis. */
export interface OnlineDevices {
  /** Reports the user's devices that are connected to this node now, and since when some of them are away. */
  changed(app: string, user: string, devices: ReadonlySet<string>, awaySinceMS?: ReadonlyMap<string, number>): void
  /** Resolves when Redis has all reports so far; false if it may lack some. */
  reported(): Promise<boolean>
  /** Whether Redis has all reports, except those in flight. */
  isComplete(): boolean
  /** Resolves when all reports have been written or have failed. */
  drained(): Promise<void>
  /** Reports that this node has no sockets, and stops. */
  stop(): Promise<void>
}

/**
 * Reports a node's devices to Redis; all of them again on reconnect, or once a check shows that Redis has lost some.
 * @param before reports everything else of this node, since a full report of devices marks that Redis has all
 */
export async function announceDevices(
  presence: Presence,
  node: string,
  onError: (error: Error) => void,
  before: () => Promise<void> = async () => undefined,
): Promise<OnlineDevices> {
  const { redis } = presence
  const current = new Map<string, string>()
  /** Fields of `current` that were changed or removed since they were last written. */
  const changedFields = new Set<string>()
  const inFlight = createInFlight()
  /** Resolves when the reports of this turn are in flight. */
  let soon: Promise<void> | undefined
  /** Resolves when all reports in flight have arrived. */
  let latest: Promise<unknown> = Promise.resolve()
  let isBehind = false
  let fullReportsInFlight = 0
  const isComplete = () => !isBehind && fullReportsInFlight === 0

  const outage = watchOutage(onError)
  const fail = (error: Error) => {
    isBehind = true
    outage.failed(error)
  }
  const write = (work: Promise<unknown>) => inFlight.add(work.catch(fail))

  function writeChanged(): void {
    const writes = writeFields(redis, node, current, [...changedFields]).map(write)
    changedFields.clear()
    latest = Promise.all([latest, ...writes]).then(() => undefined)
  }

  async function reportAll(): Promise<void> {
    isBehind = false
    fullReportsInFlight++
    // Keeps `changedFields`: an earlier write may wait in ioredis's pipeline, where this transaction overtakes it.
    const written = before()
      .then(() => writeAll(redis, node, current))
      .then(outage.ended)
    await written.finally(() => fullReportsInFlight--)
  }

  async function check(): Promise<void> {
    writeChanged()
    // Redis runs a connection's commands in order, so it has all earlier reports.
    const expected = current.size + 1
    if (isBehind || (await extendReport(redis, node)) !== expected) await reportAll()
  }

  const unfollow = followConnection(redis, { ready: () => void write(reportAll()), close: () => (isBehind = true) })
  await write(reportAll())
  const checking = startRunning(nodeTtlMS / 3, check, fail)

  return {
    changed(app, user, devices, awaySinceMS) {
      const field = userField(app, user)
      if (devices.size === 0) current.delete(field)
      else current.set(field, reportOf(devices, awaySinceMS))
      if (changedFields.size === 0) soon = nextTurn().then(writeChanged)
      changedFields.add(field)
    },
    async reported() {
      await soon
      await latest
      return isComplete()
    },
    isComplete,
    drained() {
      writeChanged()
      return inFlight.drained()
    },
    async stop() {
      unfollow()
      changedFields.clear()
      await Promise.all([checking.stop(), inFlight.drained()])
      // The node may count as alive for a while. An empty report makes its users offline, not unknown.
      await writeAll(redis, node, new Map())
    },
  }
}

function reportOf(devices: ReadonlySet<string>, awaySinceMS: ReadonlyMap<string, number> | undefined): string {
  const held = [...devices].map((device): HeldDevice => {
    const sinceMS = awaySinceMS?.get(device)
    return sinceMS === undefined ? device : [device, sinceMS]
  })
  return JSON.stringify(held)
}

/** Returns a function that unsubscribes. */
function followConnection(redis: Presence['redis'], on: { ready: () => void; close: () => unknown }): () => void {
  redis.on('ready', on.ready)
  redis.on('close', on.close)
  return () => {
    redis.off('ready', on.ready)
    redis.off('close', on.close)
  }
}
