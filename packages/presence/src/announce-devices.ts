import { setImmediate as nextTurn } from 'node:timers/promises'
import { createInFlight } from '@parley/async/in-flight'
import { startRunning } from '@parley/async/run-every'
import type { Presence } from './connect.ts'
import { nodeTtlMS } from './connection-counts.ts'
import { type HeldDevice, stay, userField, writeAll, writeFields } from './device-hash.ts'

/** The writing side, on a realtime node. */
export interface OnlineDevices {
  /** Reports the devices of the user that are connected to this node now, and since when some of them are away. */
  changed(app: string, user: string, devices: ReadonlySet<string>, awaySinceMS?: ReadonlyMap<string, number>): void
  /** Settles when Redis has all reports so far; false when it may lack some. */
  reported(): Promise<boolean>
  /** Whether Redis has all reports, except those in flight. */
  isComplete(): boolean
  /** Settles when Redis has all reports, or was away. */
  drained(): Promise<void>
  /** Reports that this node holds no sockets, and ends. */
  stop(): Promise<void>
}

/**
 * Reports the devices connected to a node to Redis. When Redis was away or lost its memory, reports everything again: at
 * once on a new connection, else at the next regular check.
 */
export async function announceDevices(
  presence: Presence,
  node: string,
  onError: (error: Error) => void,
): Promise<OnlineDevices> {
  const { redis } = presence
  const current = new Map<string, string>()
  /** Fields of `current` that have changed, or were removed, since they were written. */
  const changedFields = new Set<string>()
  const inFlight = createInFlight()
  /** Settles when the reports of this turn are in flight; then, when all reports in flight have arrived. */
  let soon: Promise<void> | undefined
  let latest: Promise<unknown> = Promise.resolve()
  let isBehind = false
  /** How many full reports are in flight. */
  let repeating = 0
  const isComplete = () => !isBehind && repeating === 0

  const fail = (error: Error) => {
    isBehind = true
    onError(error)
  }
  const write = (work: Promise<unknown>) => inFlight.add(work.catch(fail))

  function writeChanged(): void {
    const writes = writeFields(redis, node, current, [...changedFields]).map(write)
    changedFields.clear()
    latest = Promise.all([latest, ...writes]).then(() => undefined)
  }

  async function sayEverything(): Promise<void> {
    isBehind = false
    repeating++
    // Write later changes again: an earlier write may wait in ioredis's pipeline, and a transaction overtakes it.
    try {
      await writeAll(redis, node, current)
    } finally {
      repeating--
    }
  }

  async function look(): Promise<void> {
    writeChanged()
    // Redis carries out a connection's commands in order, so it has all earlier reports.
    const expected = current.size + 1
    if (isBehind || (await stay(redis, node)) !== expected) await sayEverything()
  }

  const ready = () => void write(sayEverything())
  const unfollow = followConnection(redis, { ready, close: () => (isBehind = true) })
  await write(sayEverything())
  const looking = startRunning(nodeTtlMS / 3, look, fail)

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
      await Promise.all([looking.stop(), inFlight.drained()])
      // The node may be known as alive a little longer; a user connected nowhere else is then offline, not unknown.
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

/** Returns a function that stops it. */
function followConnection(redis: Presence['redis'], on: { ready: () => void; close: () => unknown }): () => void {
  redis.on('ready', on.ready)
  redis.on('close', on.close)
  return () => {
    redis.off('ready', on.ready)
    redis.off('close', on.close)
  }
}
