import { clock } from '@parley/async/clock'
import { createInFlight } from '@parley/async/in-flight'
import type { Chat } from '@parley/chat/chat'
import type { Session, UserSocket } from './session.ts'

/** Records when users connect and disconnect, for their profiles, the statistics and timelines. */
export function watchActivity(chat: Chat) {
  const inFlight = createInFlight()

  function record(writing: Promise<unknown>, { app, user }: { app: string; user: string }): void {
    inFlight
      .add(writing)
      .catch((error: unknown) => chat.log.warn({ err: error, app, user }, 'activity of a user not recorded'))
  }

  return {
    began({ connection, transport }: UserSocket, { app, user, device }: Session) {
      chat.recent.record({ app, user }, { what: 'connected', device, transport })
      const { address, port, headers } = connection
      const userAgent = headers['user-agent']
      const login = {
        app,
        user,
        atMS: clock.now(),
        address: {
          ...(port !== undefined && { port }),
          family: address.includes(':') ? 'IPv6' : 'IPv4',
          address,
        },
        ...(userAgent !== undefined && { userAgent }),
      }
      record(chat.recordLogin(login), login)
    },
    /** @param reason one of the close reasons */
    ended({ app, user, device }: Session, reason: string) {
      chat.recent.record({ app, user }, { what: 'closed', device, reason })
      record(chat.recordActive({ app, user, atMS: clock.now() }), { app, user })
    },
    /** Resolves when everything is recorded. */
    drained: () => inFlight.drained(),
  }
}
export type Activity = ReturnType<typeof watchActivity>
