import type { Connection, ConnectionOptions } from '../connection/connection.ts'
import type { FetchToken } from '../connection/token-source.ts'
import type { User } from '../generated/types.ts'

/** A connection to Parley as a client uses it: of its own, or one that several tabs share. */
export interface UserConnection extends Pick<Connection, 'state' | 'since' | 'open' | 'close' | 'emit'> {
  /** Tells the other tabs that the user logs out. */
  logOut?(): void
}

/** A client, as far as it tells which tabs may share. */
export interface SharedFor {
  /** The base URL of Parley. */
  url: string
  clientKey: string | undefined
  token: string | FetchToken
}

export interface ShareOptions {
  /**
   * The connection that the client would have.
   * @internal
   */
  about: ConnectionOptions
  /** @internal */
  connect: (options: ConnectionOptions) => Connection
  /** The user of a token, by default of the client's own, in the app with this client key. */
  readUser: (clientKey: string, token?: string) => Promise<User>
}

/** A tab's part in the connection that a user's tabs share. */
export interface SharedConnection {
  /** In place of the client's: tabs that need a token at the same time share one. */
  token: string | FetchToken
  connect: (options: ShareOptions) => UserConnection
}

/** Lets the tabs of a user share one connection: `createTabs()` of `@parley/client/tabs`. */
export interface ClientTabs {
  /** Undefined where the browser cannot; the tab has a connection of its own then. */
  share(client: SharedFor): SharedConnection | undefined
}
