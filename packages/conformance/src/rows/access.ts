import type { Chapter } from './chapter.ts'

/** The operations that need an API key. */
export const adminEndpoints = [
  'POST /messages',
  'POST /rooms/',
  'GET /admin/clients',
  'POST /admin/clients',
  'DELETE /admin/clients/{client_id}/token',
  'DELETE /admin/clients/{uid}/mute/{room}',
  'GET /admin/groups',
  'POST /config',
  'DELETE /config/{key}',
  'POST /push/push2clients',
  'GET /admin/stats',
  'GET /admin/connection-count',
] as const

/** The operations with "Client headers". */
export const clientEndpoints = [
  'GET /rooms/{id}/messages/v3',
  'GET /rooms',
  'PUT /rooms/{id}/lastRead',
  'POST /badges/byRoomTags',
  'GET /me/badge',
  'POST /me/subscribe',
  'POST /me/unsubscribe',
  'POST /blockStatus/room/{roomID}/{blockee}',
  'DELETE /blockStatus/room/{roomID}/{blockee}',
] as const

export const access: Chapter = {
  title: 'Authentication',
  sections: {
    'API keys': adminEndpoints.flatMap((name) => [`${name} without a key: 401`, `${name} with an invalid key: 401`]),
    'Client keys and user tokens': [
      ...clientEndpoints.flatMap((name) => [
        `${name} without IM-CLIENT-KEY: 401`,
        `${name} without IM-Authorization: 401`,
        `${name} with an invalid token: 401 INVALID_TOKEN`,
      ]),
      'an expired token: 401 INVALID_TOKEN',
      'GET /rooms without IM-CLIENT-ID: 400',
      'a supplied token has any format',
    ],
    'Authentication of a socket': [
      'conf {encoding: base64} is acknowledged',
      'auth2 with token, options and acknowledgement',
      'auth2 again after a reconnect',
      'auth2 fails with an expired token',
    ],
  },
}
