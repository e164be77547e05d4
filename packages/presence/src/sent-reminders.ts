import type { Presence } from './connect.ts'
import { execAll } from './exec-all.ts'

/** Key of the reminders sent to connected devices of a user: a sorted set by send time. */
const remindersKey = (app: string, user: string): string => `parley:reminded:${app}\0${user}`

/** Longer than a connection can stay half-open. */
const keepSeconds = 600

interface SentReminder {
  room: string
  /** ID of the message. */
  id: string
  /** The reminder's due time. */
  atMS: number
}

/** @throws the client's error if Redis is down */
export async function recordReminder(
  { redis }: Presence,
  { app, user, ...reminded }: SentReminder & { app: string; user: string },
  nowMS: number,
): Promise<void> {
  const name = remindersKey(app, user)
  await execAll(
    redis
      .pipeline()
      .zadd(name, nowMS, JSON.stringify(reminded))
      .zremrangebyscore(name, '-inf', nowMS - keepSeconds * 1_000)
      .expire(name, keepSeconds),
  )
}

/** The reminders sent since a time. @throws the client's error if Redis is down */
export async function findSentReminders(
  { redis }: Presence,
  app: string,
  user: string,
  sinceMS: number,
): Promise<SentReminder[]> {
  const found = await redis.zrangebyscore(remindersKey(app, user), sinceMS, '+inf')
  return found.map((json) => JSON.parse(json) as SentReminder)
}
