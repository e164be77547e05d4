import { browserOf, lookNow } from './browser.ts'
import type { ClientTabs, SharedFor } from './client-tabs.ts'
import { shareToken } from './shared-token.ts'
import { TabConnection } from './tab-connection.ts'

export interface TabsOptions {
  /**
   * Names the user where users who are signed in at the same time, in tabs of one browser, should share connections each: an ID.
   * Without it the first of them shares. No tab ever shares another user's.
   */
  user?: string
  /** Reports the user as away while none of the tabs is visible (docs/reference/presence.md#away). */
  reportsAway?: boolean
  /** A tab that has the connection and has not answered for so long is frozen: another takes over. By default 12 s. */
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
  return {
    mayNotify: () => connection?.mayNotify() ?? !lookNow().isLookedAt,
    share(client) {
      const browser = browserOf()
      if (!browser) return undefined
      const name = nameOf(client, user)
      const shared = shareToken(
        async (asked) => (typeof client.token === 'string' ? client.token : client.token(asked)),
        {
          alone: async (signal, work) => browser.locks.request(`${await name}.token`, { signal }, work),
          tell: (fetched) => connection?.tellToken(fetched),
          ask: (sinceMS) => connection?.askForToken(sinceMS),
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
            onToken: shared.heard,
            onTokenWanted: shared.answer,
          })
          return connection
        },
      }
    },
  }
}

/** Tabs with the same token are one user's; others find out. A digest, since all scripts of the origin can list locks. */
async function nameOf({ url, clientKey, token }: SharedFor, user: string | undefined): Promise<string> {
  const who = user === undefined && typeof token === 'string' ? ['token', token] : ['user', clientKey, user]
  const bytes = new TextEncoder().encode(JSON.stringify([url, ...who]))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `parley.tabs.${[...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
