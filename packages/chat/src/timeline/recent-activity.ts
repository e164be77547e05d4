import { clock } from '@parley/async/clock'
import type { ActivityAnswer } from '@parley/contracts/bus/node-requests'

/** An entry without its time. */
export type Noted = Omit<ActivityAnswer[number], 'atMS'>

/**
 * The last logins, disconnects and refusals at this process, in memory, so that recording one costs no write. A storm of logins evicts
 * older ones.
 */
export interface RecentActivity {
  note(of: { app: string; user: string }, noted: Noted): void
  /** Those of a user, the oldest first. */
  of(app: string, user: string): ActivityAnswer
}

/** A few megabytes. */
const mostKept = 20_000
/** Maximum per user in a response. */
const mostOfUser = 200
/** Unshortened, a client's text could fill the memory. */
const mostOfText = 256

export function createRecentActivity(): RecentActivity {
  const ring: { app: string; user: string; entry: ActivityAnswer[number] }[] = []
  let next = 0
  return {
    note({ app, user }, noted) {
      const cut = Object.fromEntries(
        Object.entries(noted).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value.slice(0, mostOfText)]],
        ),
      ) as Noted
      ring[next] = { app, user, entry: { ...cut, atMS: clock.now() } }
      next = (next + 1) % mostKept
    },
    of(app, user) {
      const inOrder = [...ring.slice(next), ...ring.slice(0, next)]
      return inOrder
        .filter((one) => one.app === app && one.user === user)
        .map(({ entry }) => entry)
        .slice(-mostOfUser)
    },
  }
}
