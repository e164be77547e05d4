/**
 * The rows of the interface's tables. A row is shown by every test whose name says it: for an endpoint its
 * method and path, for an error its status and code, for a transition the words given here.
 */
export interface Row {
  table: 'Endpoints' | 'States and transitions' | 'Errors'
  row: string
  shownBy: RegExp
}

const endpoints = [
  'GET /rooms/{id}/messages/v3',
  'POST /messages',
  'GET /rooms',
  'POST /rooms/',
  'PUT /rooms/:id/lastRead',
  'POST /badges/byRoomTags',
  'GET /me/badge',
  'GET /admin/clients',
  'POST /admin/clients',
  'DELETE /admin/clients/{client_id}/token',
  'DELETE /admin/clients/{uid}/mute/{room}',
  'POST /me/subscribe',
  'POST /me/unsubscribe',
  'GET /admin/groups',
  'POST /config',
  'DELETE /config/{key}',
  'GET /config',
  'POST /push/push2clients',
  'POST /blockStatus/room/{roomID}/{blockee}',
  'DELETE /blockStatus/room/{roomID}/{blockee}',
  'GET /admin/stats',
  'GET /admin/connection-count',
]

const errors = [
  '400 INVALID_TAGS',
  '400 INVALID_QUERY',
  '400 INVALID_BODY',
  '400 ROOM_NOT_MUTED',
  '400 MISSING_PARAMETER',
  '400 INVALID_USER_ID',
  '400 INVALID_REQUEST',
  '401 INVALID_TOKEN',
  '401 INVALID_API_KEY',
  '401 UNAUTHORIZED',
  '403 NOT_ROOM_MEMBER',
  '403 PERMISSION_DENIED',
  '403 INSUFFICIENT_PERMISSIONS',
  '404 ROOM_NOT_FOUND',
  '404 CLIENT_NOT_FOUND',
  '404 TOKEN_NOT_FOUND',
  '404 CONFIG_NOT_FOUND',
  '404 BLOCK_NOT_FOUND',
  '404 ROOM_OR_USER_NOT_FOUND',
  '409 USER_ALREADY_BLOCKED',
  '409 USER_EXISTS',
  '413 RESULT_TOO_LARGE',
]

const transitions: [row: string, shownBy: RegExp][] = [
  ['Ban: not banned → banned, by a platform admin or the room owner', /ban: not banned → banned/i],
  ['Ban: banned → banned, 409 USER_ALREADY_BLOCKED', /ban: banned → banned/i],
  ['Ban: banned → not banned, updatedAt is the unban time', /ban: banned → not banned/i],
  ['Ban: not banned → not banned, 404 BLOCK_NOT_FOUND', /ban: not banned → not banned/i],
  ['Room mute: muted → unmuted', /room mute: muted → unmuted/i],
  ['Room mute: unmuted → unmuted, 400 ROOM_NOT_MUTED', /room mute: unmuted → unmuted/i],
  ['User token: valid → revoked, revokedTokens is 1', /user token: valid → revoked/i],
  [
    'User token: all valid → all revoked, revokedTokens is the number removed',
    /user token: valid \(all\) → all revoked/i,
  ],
  ['User token: valid → replaced by a new token', /user token: valid → replaced by a new token/i],
  ['User token: valid → replaced by the bound token', /user token: valid → replaced by the bound token/i],
  ['Config key: present → absent, else 404 CONFIG_NOT_FOUND', /config key: present → absent/i],
  ['Config key: any → set to the given value', /config key: any → set/i],
]

export const conformanceRows: Row[] = [
  ...endpoints.map((row): Row => ({ table: 'Endpoints', row, shownBy: endpointPattern(row) })),
  ...transitions.map(([row, shownBy]): Row => ({ table: 'States and transitions', row, shownBy })),
  ...errors.map((row): Row => ({ table: 'Errors', row, shownBy: new RegExp(`\\b${row}\\b`) })),
]

/** The method and path, with any name or value where the path has a parameter. */
function endpointPattern(endpoint: string): RegExp {
  const path = endpoint.replace(/\/$/, '').replaceAll(/\{\w+\}|:\w+/g, '[^/\\s]+')
  return new RegExp(`(^|[^\\w])${path}/?(?![\\w/{:])`)
}
