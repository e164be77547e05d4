import { browserOf, lookNow } from './browser.ts'
import type { ClientTabs, SharedFor } from './client-tabs.ts'
import { digest } from './digest.ts'
import { shareToken } from './shared-token.ts'
import { TabConnection } from './tab-connection.ts'

export interface TabsOptions {
  /**
   * Names the user where users who are signed in at the same time, in tabs of one browser, should share connections each: an ID.
   * Without it the first of them shares; a tab of another user notices before it hears an event, and connects by itself.
   */
  user?: string
  /** Reports the user as away while none of the tabs is visible (docs/reference/presence.md#away). */
  reportsAway?: boolean
  /** A tab that has the connection and has not answered for so long is frozen: another takes over. By default 12 s; more where browsers slow down hidden tabs. */
  deadAfterMS?: number
}

/** Of one client. */
export interface Tabs extends ClientTabs {
  /**
   * Whether this tab is to show a notification: one of the user's tabs is, and none while the user looks at one of them. Tabs
   * with a connection of their own go by themselves.
   */
  mayNotify(): boolean
}

/**
 * For `createClient({ tabs })`: the tabs of a user, on one origin, share one connection. It needs Web Locks, BroadcastChannel
 * and https; without them each tab has a connection of its own.
 */
export function createTabs({ user, reportsAway = false, deadAfterMS = 12_000 }: TabsOptions = {}): Tabs {
  let connection: TabConnection | undefined
  let isTokenMissing = false
  return {
    mayNotify: () => connection?.mayNotify() ?? !lookNow().isLookedAt,
    share(client) {
      const browser = browserOf()
      if (!browser) return undefined
      const name = nameOf(client, user)
      const shared = shareToken(
        async (asked) => {
          if (typeof client.token === 'string') return client.token
          isTokenMissing = true
          const token = await client.token(asked)
          isTokenMissing = false
          return token
        },
        {
          alone: async (signal, work) => browser.locks.request(`${await name}.token`, { signal }, work),
          user: () => connection?.user,
          isOfUser: async (token) => connection?.isOfUser(token) ?? false,
          tell: (user, fetched) => connection?.tell({ type: 'token', user, fetched }),
          ask: (user, sinceMS) => connection?.tell({ type: 'tokenWanted', user, sinceMS }),
        },
      )
      return {
        token: typeof client.token === 'string' ? client.token : shared.fetch,
        connect(options) {
          connection = new TabConnection({
            ...options,
            browser,
            name,
            reportsAway,
            deadAfterMS,
            isTokenMissing: () => isTokenMissing,
            onToken: shared.heard,
            onTokenWanted: shared.answer,
          })
          return connection
        },
      }
    },
  }
}

/** Of the messages: tabs that were loaded before an update do not share with those after it. */
const protocol = 2

/** Tabs with the same token are one user's; others find out. A digest, since all scripts of the origin can list locks. */
async function nameOf({ url, clientKey, token }: SharedFor, user: string | undefined): Promise<string> {
  const who = user === undefined && typeof token === 'string' ? ['token', token] : ['user', clientKey, user]
  return `parley.tabs.${protocol}.${await digest(JSON.stringify([url, ...who]))}`
}
