import type { Connection, ConnectionOptions } from '../connection/connection.ts'
import type { FetchToken } from '../connection/token-source.ts'
import type { User } from '../generated/types.ts'

/** A client's connection to Parley: its own, or one shared by several tabs. */
export interface UserConnection extends Pick<Connection, 'state' | 'since' | 'open' | 'close' | 'emit'> {
  /** Tells the other tabs that the user is logging out. */
  logOut?(): void
}

/** Identifies the clients that may share a connection. */
export interface SharedFor {
  /** The base URL of Parley. */
  url: string
  clientKey: string | undefined
  token: string | FetchToken
}

export interface ShareOptions {
  /**
   * Options of the client's own connection.
   * @internal
   */
  about: ConnectionOptions
  /** @internal */
  connect: (options: ConnectionOptions) => Connection
  /** Reads the user of a token in the app with this client key. By default it is the client's own token. */
  readUser: (clientKey: string, token?: string) => Promise<User>
}

/** A tab's access to the shared connection. */
export interface SharedConnection {
  /** Replaces the client's token: tabs that need a token at the same time share one. */
  token: string | FetchToken
  connect: (options: ShareOptions) => UserConnection
}

/** Lets the tabs of a user share one connection: `createTabs()` of `@parley/client/tabs`. */
export interface ClientTabs {
  /** Undefined if the browser does not support it; the tab then has its own connection. */
  share(client: SharedFor): SharedConnection | undefined
}
