import { clock } from '@parley/async/clock'
import type { ActivityAnswer } from '@parley/contracts/bus/node-requests'

export type RecentEntry = Omit<ActivityAnswer[number], 'atMS'>

/** Takes a few megabytes. */
const maxKept = 20_000
const maxPerUser = 200
/** Client texts are cut to this length, so that they cannot fill the memory. */
const maxTextLength = 256

/** The last logins, disconnects and refusals here, in memory, so that recording is free. Storms evict older ones. */
export function createRecentActivity() {
  const ring: { app: string; user: string; entry: ActivityAnswer[number] }[] = []
  let next = 0
  return {
    record({ app, user }: { app: string; user: string }, activity: RecentEntry) {
      const cut = Object.fromEntries(
        Object.entries(activity).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value.slice(0, maxTextLength)]],
        ),
      ) as RecentEntry
      ring[next] = { app, user, entry: { ...cut, atMS: clock.now() } }
      next = (next + 1) % maxKept
    },
    of(app: string, user: string) {
      const inOrder = [...ring.slice(next), ...ring.slice(0, next)]
      return inOrder
        .filter((one) => one.app === app && one.user === user)
        .map(({ entry }) => entry)
        .slice(-maxPerUser)
    },
  }
}
export type RecentActivity = ReturnType<typeof createRecentActivity>
