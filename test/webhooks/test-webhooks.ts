import { randomUUID } from 'node:crypto'
import { type CallbackDouble, type ReceivedCall, startCallback } from '../doubles/callback.ts'
import { type PushPlatform, startPushPlatform } from '../push/test-push-platform.ts'

/** A platform with an integrator's server that rooms have their webhooks at. */
export interface WebhookPlatform extends PushPlatform {
  hooks: CallbackDouble
  /** Creates a room with a webhook of its own; `calls` returns the calls to it so far. */
  newHookedRoom(members: readonly string[], fields?: object): Promise<HookedRoom>
  /** The calls of a room that were given up. */
  failedCalls(room: string): Promise<FailedCall[]>
}

interface HookedRoom {
  room: string
  path: string
  calls: () => ReceivedCall[]
}

interface FailedCall {
  id: string
  roomID: string
  lastError: string
  tries: number
  data: { message: unknown }
}

/** Longer than a process ever stands still on a very busy machine: after this it really hangs. */
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
