import { randomUUID } from 'node:crypto'
import { key } from '@parley/db/keys'
import type { CallQueueDoc } from '@parley/db/push/documents'
import { type CallbackDouble, type ReceivedCall, startCallback } from '../doubles/callback.ts'
import { eventually } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from '../push/test-push-platform.ts'

/** A platform with a double of an integrator's server for room webhooks. */
export interface WebhookPlatform extends PushPlatform {
  hooks: CallbackDouble
  /** Creates a room with its own webhook; `calls` returns the calls to it so far. */
  newHookedRoom(members: readonly string[], fields?: object): Promise<HookedRoom>
  /** Leases a new room's call queue, like a process that works on it. */
  holdCalls(room: string): Promise<HeldCalls>
  /** The failed calls of a room. */
  failedCalls(room: string): Promise<FailedCall[]>
}

interface HookedRoom {
  room: string
  path: string
  calls: () => ReceivedCall[]
}

interface HeldCalls {
  /** Waits until this many calls of an event are queued, and backdates them by `waitedMS`. */
  pile(event: string, count: number, waitedMS: number): Promise<void>
  /** Releases the queue, with the given earlier failures. */
  release(failing?: Pick<CallQueueDoc, 'failures' | 'failingSinceMS'>): Promise<void>
}

interface FailedCall {
  id: string
  roomID: string
  lastError: string
  tries: number
  data: { message: unknown }
}

/** Longer than any stall on a very busy machine. */
export const callTimeoutMS = 15_000

export async function startWebhookPlatform(): Promise<WebhookPlatform> {
  const [platform, hooks] = await Promise.all([startPushPlatform(), startCallback()])
  return {
    ...platform,
    hooks,
    async newHookedRoom(members, fields = {}) {
      const path = `/${randomUUID()}`
      const room = await platform.newRoom(members, { webhook: hooks.url + path, ...fields })
      return { room, path, calls: () => hooks.calls.filter((one) => one.path === path) }
    },
    async holdCalls(room) {
      const { callQueues, outgoingCalls } = platform.db
      const _id = key(platform.app, room)
      await eventually('the new room is called', () => outgoingCalls.findOne({ room, state: 'done' }))
      const held = { dueAtMS: Date.now() + 3_600_000, lease: 'a test' }
      await callQueues.updateOne(
        { _id },
        { $set: held, $setOnInsert: { target: hooks.url, failures: 0, version: 0 } },
        { upsert: true },
      )
      return {
        async pile(event, count, waitedMS) {
          const waiting = { room, event, state: 'waiting' } as const
          await eventually(`${count} calls wait`, async () => (await outgoingCalls.countDocuments(waiting)) === count)
          await outgoingCalls.updateMany({ room, state: 'waiting' }, { $inc: { createdAtMS: -waitedMS } })
        },
        async release(failing = { failures: 0 }) {
          await callQueues.updateOne({ _id }, { $set: { dueAtMS: 0, ...failing }, $unset: { lease: 1 } })
        },
      }
    },
    async failedCalls(room) {
      const { data } = await platform.admin('GET', '/admin/webhooks/failed?limit=500')
      return (data as FailedCall[]).filter(({ roomID }) => roomID === room)
    },
    async stop() {
      await platform.stop()
      await hooks.stop()
    },
  }
}
