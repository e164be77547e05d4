interface CloseReasonContract {
  /** `stops`: by a Socket.IO disconnect, which the stock client takes as final. `reconnects`: by closing the transport. */
  client: 'reconnects' | 'stops'
  why: string
}

/** Why Parley closes a connection. The way in which it is closed decides whether the stock client comes back. */
export const ownCloseReasons = {
  'token ended': { client: 'stops', why: 'The token was revoked or replaced, or has expired: get a new one' },
  'token expired': {
    client: 'reconnects',
    why: 'A token of a login of your own has expired, and no `auth2` came with a newer one: log in with the next',
  },
  'user banned': { client: 'stops', why: 'The user was banned from the app' },
  'app deleted': { client: 'stops', why: 'The app was deleted' },
  'too many failed logins': { client: 'stops', why: 'Three `auth2` failed, or too many logins of the address' },
  'too many logins at once': { client: 'stops', why: 'An `auth2` came while one waited for another' },
  'not authenticated in time': { client: 'reconnects', why: 'No `auth2` succeeded within 30 s (setting)' },
  'node is stopping': { client: 'reconnects', why: 'The node drains; another one takes the client' },
  'too many connections from this address': { client: 'reconnects', why: 'A limit (setting)' },
  'too many events': { client: 'reconnects', why: 'Ten times the limit of events per second (setting)' },
} as const satisfies Record<string, CloseReasonContract>

/** The reasons of the protocol itself (packages/socketio). */
export const protocolCloseReasons = {
  'slow reader': {
    client: 'reconnects',
    why: 'More than 1 MiB (setting) waited for the client: fetch missed messages',
  },
  'ping timeout': { client: 'reconnects', why: 'No heartbeat came in time' },
  'too many packets': { client: 'reconnects', why: 'A limit (setting)' },
  'connect timeout': { client: 'reconnects', why: 'The client did not connect to the namespace in time' },
  'parse error': { client: 'reconnects', why: 'The client does not speak the protocol' },
  'attachments timeout': { client: 'reconnects', why: 'Announced binary attachments did not arrive' },
  'overlapping polls': { client: 'reconnects', why: 'Two polls of a session at once' },
  'overlapping posts': { client: 'reconnects', why: 'Two posts of a session at once' },
  'too much at once': { client: 'reconnects', why: 'Too many bytes before earlier ones were taken' },
  'upgrade timeout': {
    client: 'reconnects',
    why: 'The change from polling to a WebSocket was not completed; polling goes on',
  },
  'upgraded already': { client: 'reconnects', why: 'A second WebSocket for a session that has one' },
  'session out of reach': { client: 'reconnects', why: 'The node that holds the session does not respond' },
  'transport close': { client: 'reconnects', why: 'The client closed the connection, or it broke' },
  'transport error': { client: 'reconnects', why: 'The client gave up a poll' },
  'client namespace disconnect': { client: 'stops', why: 'The client left' },
  'server namespace disconnect': {
    client: 'stops',
    why: 'The server disconnected the socket and gave no other reason',
  },
} as const satisfies Record<string, CloseReasonContract>

export const closeReasons = { ...ownCloseReasons, ...protocolCloseReasons }

export type OwnCloseReason = keyof typeof ownCloseReasons
