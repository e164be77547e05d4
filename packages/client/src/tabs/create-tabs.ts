import { currentBrowser, lookNow } from './browser.ts'
import type { ClientTabs, SharedFor } from './client-tabs.ts'
import { digest } from './digest.ts'
import { shareToken } from './shared-token.ts'
import { TabConnection } from './tab-connection.ts'

export interface TabsOptions {
  /**
   * ID of the user. Set it if several users are signed in at the same time in one browser, so that each user's tabs
   * share a connection. Without it, only the first user's tabs share; a tab of another user detects that before it
   * takes any event, and connects by itself.
   */
  user?: string
  /** Reports the user as away while no tab is visible (docs/reference/presence.md#away). */
  reportsAway?: boolean
  /**
   * After this long without a response, the tab with the connection counts as frozen, and another takes over. 12 s by
   * default; longer where browsers throttle hidden tabs.
   */
  deadAfterMS?: number
}

/** Tab sharing of one client. */
export interface Tabs extends ClientTabs {
  /**
   * Whether this tab may show a notification: true in one of the user's tabs, and in none while the user looks at one.
   * A tab with its own connection considers only itself.
   */
  mayNotify(): boolean
}

/**
 * Creates tab sharing for `createClient({ tabs })`: a user's tabs on one origin share one connection. It needs Web
 * Locks, BroadcastChannel and https. Without them, each tab has its own connection.
 */
export function createTabs({ user, reportsAway = false, deadAfterMS = 12_000 }: TabsOptions = {}): Tabs {
  let connection: TabConnection | undefined
  let isTokenMissing = false
  return {
    mayNotify: () => connection?.mayNotify() ?? !lookNow().isLookedAt,
    share(client) {
      const browser = currentBrowser()
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

/** Version of the messages. Tabs loaded before an update do not share with newer ones. */
const protocol = 2

/** Tabs of one token are of one user; others verify theirs. Hashed, since the origin's scripts can list lock names. */
async function nameOf({ url, clientKey, token }: SharedFor, user: string | undefined): Promise<string> {
  const identity = user === undefined && typeof token === 'string' ? ['token', token] : ['user', clientKey, user]
  return `parley.tabs.${protocol}.${await digest(JSON.stringify([url, ...identity]))}`
}
