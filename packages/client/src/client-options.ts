import type { ClientCache } from './cache/client-cache.ts'
import type { FetchToken } from './connection/token-source.ts'
import type { Storage } from './sending/outbox-storage.ts'
import type { ClientTabs } from './tabs/client-tabs.ts'

export interface ClientOptions {
  /** The base URL of Parley. */
  url: string
  /** The app's client key. Without it the token names the app, which is known after the first login. */
  clientKey?: string
  /** The user's token; or a function that fetches one from your server, also when the last one has ended. */
  token: string | FetchToken
  /**
   * Names this device: the same as for push, so that a device that is connected gets no push. By default a random one.
   */
  deviceID?: string
  /** Other clients have the same deviceID, such as the tabs of a browser: this one hears of its own changes as they do. */
  sharesDevice?: boolean
  /** Where unsent messages survive a reload: localStorage, AsyncStorage. Without it they last as long as the client. */
  storage?: Storage
  /** Keeps rooms and messages for a cold start, with or without a connection: `createCache()` of `@parley/client/cache`. */
  cache?: ClientCache
  /** The tabs of a browser share one connection: `createTabs()` of `@parley/client/tabs`. */
  tabs?: ClientTabs
  /** How events are written on the connection; by default `plain`. */
  encoding?: 'plain' | 'base64'
  /** By default a WebSocket, and long-polling where none is possible. */
  transports?: readonly ('websocket' | 'polling')[]
  /** How long a call waits for its response; by default 20 s. */
  timeoutMS?: number
}
