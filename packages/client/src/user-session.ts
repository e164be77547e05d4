import type { CachedState } from './cache/client-cache.ts'
import { createUserCalls, type UserCallsOptions } from './calls/user-calls.ts'
import type { ClientOptions } from './client-options.ts'
import { Connection, type ConnectionOptions } from './connection/connection.ts'
import { isConnected } from './connection/connection-state.ts'
import { createTokenSource } from './connection/token-source.ts'
import type { Message, User } from './generated/types.ts'
import { ParleyError } from './parley-error.ts'
import { randomID } from './random-id.ts'
import { createStore } from './store.ts'
import type { UserConnection } from './tabs/client-tabs.ts'

/** A user's connection and identity, shared by the parts of a client. */
export function createUserSession(options: ClientOptions, on: Pick<ConnectionOptions, 'onEvent' | 'onLogin'>) {
  const { deviceID = randomID(), timeoutMS = 20_000, transports = ['websocket', 'polling'] } = options
  const url = options.url.replace(/\/+$/, '')
  const shared = options.tabs?.share({ url, clientKey: options.clientKey, token: options.token })
  const access = { deviceID, timeoutMS, url, tokens: createTokenSource(shared?.token ?? options.token) }
  const clientKey = createStore(options.clientKey)
  const user = createStore<User | undefined>(undefined)
  let userID: string | undefined
  let hasLoggedIn = false
  let isClosed = false
  const me = () => userID

  const about: ConnectionOptions = {
    ...{ ...access, transports },
    encoding: options.encoding ?? 'plain',
    clientKey: clientKey.get,
    onEvent: on.onEvent,
    onLogin(result) {
      userID = result._id
      hasLoggedIn = true
      if (clientKey.get() === undefined) clientKey.set(result.clientKey)
      return on.onLogin(result)
    },
  }
  const connect = (given: ConnectionOptions) => new Connection(given)
  const connection: UserConnection = shared?.connect({ about, connect, readUser: userReader(access) }) ?? connect(about)

  /** Waits for a status. Rejects if the connection stops or closes first. */
  async function connectionIs(status: 'syncing' | 'online'): Promise<void> {
    let stop: (() => void) | undefined
    await new Promise<void>((resolve, reject) => {
      stop = connection.state.subscribe((state) => {
        if (isClosed) reject(new ParleyError('CLOSED', 'the client was closed'))
        else if (state.status === 'stopped') reject(state.error)
        else if (state.status === 'online' || state.status === status) resolve()
      })
    }).finally(() => stop?.())
  }

  async function whenLoggedIn(): Promise<void> {
    if (!hasLoggedIn) await connectionIs('syncing')
  }

  const calls = createUserCalls({
    ...{ ...access, me },
    deviceID: shared || options.sharesDevice ? undefined : deviceID,
    /** The client key from the options or the first login. */
    async clientKey() {
      if (clientKey.get() === undefined) await whenLoggedIn()
      return clientKey.get() ?? ''
    },
  })

  /** Restores a cached user, until a login says otherwise. */
  function restore(cached: Pick<CachedState, 'user' | 'clientKey' | 'since'>): void {
    userID = cached.user._id
    user.set(cached.user)
    clientKey.set(cached.clientKey)
    connection.since = cached.since
  }

  return {
    ...{ connection, calls, clientKey, user, me, whenLoggedIn, restore },
    isConnected: () => isConnected(connection.state.get()),
    emit: (event: string, payload: object) => connection.emit(event, payload),
    async whenReady(): Promise<void> {
      if (!user.get()) await connectionIs('online')
    },
    /** The user as the sender of their messages. */
    sender: () => senderOf(userID, user.get()),
    open(): void {
      if (!isClosed) connection.open()
    },
    close(): void {
      isClosed = true
      connection.close()
    },
  }
}

/** Reads the user of a token, by default the client's own. */
function userReader(access: Pick<UserCallsOptions, 'url' | 'tokens' | 'timeoutMS'>) {
  const unknown = { me: () => undefined, deviceID: undefined }
  return (key: string, token?: string) => {
    const tokens = token === undefined ? access.tokens : createTokenSource(token)
    return createUserCalls({ ...access, ...unknown, tokens, clientKey: async () => key }).getMe()
  }
}

function senderOf(id = '', user?: User): Message['sender'] {
  const { nickname = '', description = '', avatarUrl = '', lastLoginTimeMS = 0 } = user ?? {}
  return { _id: id, id, nickname, description, avatarUrl, lastLoginTimeMS }
}

export type UserSession = ReturnType<typeof createUserSession>
