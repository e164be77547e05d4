import type { Presence } from './connect.ts'
import { execAll } from './exec-all.ts'

/** Key of the reminders sent to connected devices of a user: a sorted set by send time. */
const remindedKey = (app: string, user: string): string => `parley:reminded:${app}\0${user}`

/** Longer than a connection can stay half-open. */
const keepSeconds = 600

export interface Reminded {
  room: string
  /** ID of the message. */
  id: string
  /** The reminder's due time. */
  atMS: number
}

/** @throws the client's error if Redis is down */
export async function noteReminded(
  { redis }: Presence,
  { app, user, ...reminded }: Reminded & { app: string; user: string },
  nowMS: number,
): Promise<void> {
  const name = remindedKey(app, user)
  await execAll(
    redis
      .pipeline()
      .zadd(name, nowMS, JSON.stringify(reminded))
      .zremrangebyscore(name, '-inf', nowMS - keepSeconds * 1_000)
      .expire(name, keepSeconds),
  )
}

/** The reminders sent since a time. @throws the client's error if Redis is down */
export async function findReminded(
  { redis }: Presence,
  app: string,
  user: string,
  sinceMS: number,
): Promise<Reminded[]> {
  const found = await redis.zrangebyscore(remindedKey(app, user), sinceMS, '+inf')
  return found.map((json) => JSON.parse(json) as Reminded)
}
