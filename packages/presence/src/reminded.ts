import type { Presence } from './connect.ts'

/** Reminders that went to a connected device of a user: a sorted set by the time at which they did. */
const remindedKey = (app: string, user: string): string => `parley:reminded:${app}\0${user}`

/** Longer than a connection can be half open. */
const keepSeconds = 600

export interface Reminded {
  room: string
  /** ID of the message. */
  id: string
  /** The time that the user has chosen. */
  atMS: number
}

/** @throws the client's error when Redis is away */
export async function noteReminded(
  { redis }: Presence,
  { app, user, ...reminded }: Reminded & { app: string; user: string },
  nowMS: number,
): Promise<void> {
  const name = remindedKey(app, user)
  await redis
    .pipeline()
    .zadd(name, nowMS, JSON.stringify(reminded))
    .zremrangebyscore(name, '-inf', nowMS - keepSeconds * 1_000)
    .expire(name, keepSeconds)
    .exec()
}

/** Those since a time. @throws the client's error when Redis is away */
export async function findReminded(
  { redis }: Presence,
  app: string,
  user: string,
  sinceMS: number,
): Promise<Reminded[]> {
  const found = await redis.zrangebyscore(remindedKey(app, user), sinceMS, '+inf')
  return found.map((json) => JSON.parse(json) as Reminded)
}
