import { inParts } from '@parley/async/in-parts'
import type { Presence } from './connect.ts'
import { execAll } from './exec-all.ts'

/** A user's room, or a thread in it. */
export interface PushedConversation {
  app: string
  room: string
  /** The root of the thread. */
  threadOf?: string | undefined
  user: string
}

/**
 * Key of the user's devices that got pushes of a room or thread since the user last read it: a hash of device → `seq`.
 */
function pushedKey({ app, room, threadOf, user }: PushedConversation): string {
  // IDs contain no control characters.
  return `parley:pushed:${[app, room, ...(threadOf === undefined ? [] : [threadOf]), user].join('\0')}`
}

const perWrite = 1_000

interface PushedDevice {
  user: string
  device: string
}

/** Records that a message was pushed to these devices. @throws the client's error if Redis is down */
export async function recordPushed(
  { redis }: Presence,
  { seq, ...conversation }: Omit<PushedConversation, 'user'> & { seq: number },
  devices: readonly PushedDevice[],
  keepSeconds: number,
): Promise<void> {
  for (const some of inParts(devices, perWrite)) {
    const pipeline = redis.pipeline()
    for (const { user, device } of some) {
      const name = pushedKey({ ...conversation, user })
      pipeline.hset(name, device, seq).expire(name, keepSeconds)
    }
    await execAll(pipeline)
  }
}

/** Per conversation, the devices with pushes, and the last `seq`. @throws the client's error if Redis is down */
export async function findPushed(
  { redis }: Presence,
  conversations: readonly PushedConversation[],
): Promise<ReadonlyMap<string, number>[]> {
  const pipeline = redis.pipeline()
  for (const conversation of conversations) pipeline.hgetall(pushedKey(conversation))
  const found = (await execAll(pipeline)) as Record<string, string>[]
  return found.map((seqs) => new Map(Object.entries(seqs).map(([device, seq]) => [device, Number(seq)])))
}

/** @throws the client's error if Redis is down */
export async function forgetPushed(
  { redis }: Presence,
  conversation: PushedConversation,
  devices: readonly string[],
): Promise<void> {
  if (devices.length > 0) await redis.hdel(pushedKey(conversation), ...devices)
}
