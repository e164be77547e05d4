import type { ClientCache } from './cache/client-cache.ts'
import type { FetchToken } from './connection/token-source.ts'
import type { Storage } from './sending/outbox-storage.ts'
import type { ClientTabs } from './tabs/client-tabs.ts'

export interface ClientOptions {
  /** The base URL of Parley. */
  url: string
  /** The app's client key. Without it, the token determines the app at the first login. */
  clientKey?: string
  /** The user's token, or a function that fetches one from your server, first and for each renewal. */
  token: string | FetchToken
  /** This device's ID; random by default. Use the same ID for push, so that a connected device gets no push. */
  deviceID?: string
  /** Set this if other clients, such as tabs, share the `deviceID`: you then also get the events of your own calls. */
  sharesDevice?: boolean
  /**
   * Keeps unsent messages across reloads: localStorage or AsyncStorage. Without it, they last as long as the client.
   */
  storage?: Storage
  /** Keeps rooms and messages for a cold start, online or offline: `createCache()` of `@parley/client/cache`. */
  cache?: ClientCache
  /** Shares one connection between tabs of a browser: `createTabs()` of `@parley/client/tabs`. */
  tabs?: ClientTabs
  /** Encoding of event payloads; `plain` by default. */
  encoding?: 'plain' | 'base64'
  /** By default WebSocket, with long polling as the fallback. */
  transports?: readonly ('websocket' | 'polling')[]
  /** How long a call waits for its response; 20 s by default. */
  timeoutMS?: number
}
