import { inParts } from '@parley/async/in-parts'
import type { Presence } from './connect.ts'

/** Which devices of a user got pushes of a room since the user last read it: a hash of `seq`s by device. */
const pushedKey = (app: string, room: string, user: string): string => `parley:pushed:${app}\0${room}\0${user}`

const perWrite = 1_000

export interface PushedDevice {
  user: string
  device: string
}

/** Notes that a message was pushed to these devices. @throws the client's error when Redis is away */
export async function notePushed(
  { redis }: Presence,
  { app, room, seq }: { app: string; room: string; seq: number },
  devices: readonly PushedDevice[],
  keepSeconds: number,
): Promise<void> {
  for (const some of inParts(devices, perWrite)) {
    const pipeline = redis.pipeline()
    for (const { user, device } of some) {
      const name = pushedKey(app, room, user)
      pipeline.hset(name, device, seq).expire(name, keepSeconds)
    }
    await pipeline.exec()
  }
}

/**
 * The devices of these users with pushes of the room, and the `seq` of the last one, by user; those without any are left out.
 * @throws the client's error when Redis is away
 */
export async function findPushed(
  { redis }: Presence,
  { app, room }: { app: string; room: string },
  users: readonly string[],
): Promise<Map<string, Map<string, number>>> {
  const pipeline = redis.pipeline()
  for (const user of users) pipeline.hgetall(pushedKey(app, room, user))
  const answers = (await pipeline.exec()) ?? []
  const pushed = new Map<string, Map<string, number>>()
  for (const [i, user] of users.entries()) {
    const [error, seqs] = answers[i] ?? []
    if (error) throw error
    const ofUser = Object.entries((seqs ?? {}) as Record<string, string>)
    if (ofUser.length > 0) pushed.set(user, new Map(ofUser.map(([device, seq]) => [device, Number(seq)])))
  }
  return pushed
}

/** @throws the client's error when Redis is away */
export async function forgetPushed(
  { redis }: Presence,
  { app, room, user }: { app: string; room: string; user: string },
  devices: readonly string[],
): Promise<void> {
  if (devices.length > 0) await redis.hdel(pushedKey(app, room, user), ...devices)
}
