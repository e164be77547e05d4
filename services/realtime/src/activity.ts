import type { Chat } from '@parley/chat/chat'
import type { Session } from './session.ts'

/** Notes for the statistics until when users were connected; their logins say since when. */
export interface Activity {
  ended(session: Session): void
  /** Settles when everything is noted. */
  idle(): Promise<void>
}

export function watchActivity(chat: Chat): Activity {
  const underWay = new Set<Promise<unknown>>()
  return {
    ended({ app, user }) {
      const noted = chat
        .recordActive({ app, user, atMS: Date.now() })
        .catch((error: unknown) => chat.log.warn({ err: error, user }, 'activity not noted'))
        .finally(() => underWay.delete(noted))
      underWay.add(noted)
    },
    async idle() {
      await Promise.all(underWay)
    },
  }
}
