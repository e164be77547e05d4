interface CloseReasonContract {
  /** `stops`: by a Socket.IO disconnect, which the stock client takes as final. `reconnects`: by closing the transport. */
  client: 'reconnects' | 'stops'
  why: string
}

/** Why Parley closes a connection. `client` tells whether the stock client reconnects. */
export const ownCloseReasons = {
  'token ended': { client: 'stops', why: 'The token was revoked, was replaced or expired: get a new one' },
  'token expired': {
    client: 'reconnects',
    why: 'A token of your own login expired before an `auth2` with a newer one: log in with the next',
  },
  'user banned': { client: 'stops', why: 'The user was banned from the app' },
  'app deleted': { client: 'stops', why: 'The app was deleted' },
  'too many failed logins': {
    client: 'stops',
    why: 'Three failed `auth2`, or too many failed logins from the address',
  },
  'too many logins at once': { client: 'stops', why: 'An `auth2` arrived while one was running and another waiting' },
  'not authenticated in time': { client: 'reconnects', why: 'No `auth2` succeeded within 30 s (setting)' },
  'node is stopping': { client: 'reconnects', why: 'The node is draining; reconnect to another' },
  'too many connections from this address': { client: 'reconnects', why: 'Limit exceeded (setting)' },
  'too many events': { client: 'reconnects', why: 'Ten times the limit of events per second (setting)' },
} as const satisfies Record<string, CloseReasonContract>

/** Close reasons of the protocol (packages/socketio). */
export const protocolCloseReasons = {
  'slow reader': {
    client: 'reconnects',
    why: 'More than 1 MiB (setting) was buffered for the client: fetch missed messages',
  },
  'ping timeout': { client: 'reconnects', why: 'No heartbeat came in time' },
  'too many packets': { client: 'reconnects', why: 'Limit exceeded (setting)' },
  'connect timeout': { client: 'reconnects', why: 'The client did not connect to the namespace in time' },
  'parse error': { client: 'reconnects', why: 'The client does not speak the protocol' },
  'attachments timeout': { client: 'reconnects', why: 'Announced binary attachments did not arrive' },
  'overlapping polls': { client: 'reconnects', why: 'Two concurrent polls of a session' },
  'overlapping posts': { client: 'reconnects', why: 'Two concurrent posts of a session' },
  'too much at once': { client: 'reconnects', why: 'Too many bytes before earlier ones were processed' },
  'upgrade timeout': {
    client: 'reconnects',
    why: 'The upgrade from polling to WebSocket was not completed; polling continues',
  },
  'upgraded already': { client: 'reconnects', why: 'Second WebSocket for an upgraded session' },
  'session out of reach': {
    client: 'reconnects',
    why: 'The node that owns the session does not respond, or no longer has it',
  },
  'transport close': { client: 'reconnects', why: 'The client closed the connection, or it broke' },
  'transport error': { client: 'reconnects', why: 'The client aborted a poll' },
  'client namespace disconnect': { client: 'stops', why: 'The client disconnected' },
  'server namespace disconnect': {
    client: 'stops',
    why: 'The server disconnected the socket without another reason',
  },
} as const satisfies Record<string, CloseReasonContract>

export const closeReasons = { ...ownCloseReasons, ...protocolCloseReasons }

export type OwnCloseReason = keyof typeof ownCloseReasons
