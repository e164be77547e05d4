import { interfaceOperations, interfaceResources } from '@parley/contracts/documents/interface-names'
import { type Chapter, fieldName, isField } from './chapter.ts'

/** Statements of the interface on each endpoint, beyond its fields and errors. */
const said: Record<string, readonly string[]> = {
  'GET /rooms/{id}/messages/v3': [
    'sorted by update time, latest first',
    'afterTime as an ISO-8601 string',
    'afterTime as a millisecond timestamp',
    'timeRangeField is updatedAt by default',
    'timeRangeField updatedAt',
    'timeRangeField createdAt',
    'timeRangeField messageTime',
  ],
  'POST /messages': [
    ...['_id', 'room', 'message', 'messageType', 'sender as a string', 'appID'].map(ofResult),
    ...['messageTimeMS', 'updatedAtMS', 'createdAtMS'].map(ofResult),
    'push is true by default',
    'the mentioned receive mention notifications',
  ],
  'GET /rooms': [
    'sort by lastMessage',
    'sort by createdTime',
    'sort by several fields',
    '- sorts descending',
    'updatedAfter: rooms with new messages',
    'updatedAfter: rooms created after it',
    'updatedAfter as ISO-8601',
    'updatedAfter as a millisecond epoch',
  ],
  'POST /rooms/': [
    'roomType direct',
    'roomType group',
    ...['_id', 'roomType', 'members', 'status 1', 'createdTimeMS'].map(ofResult),
  ],
  'PUT /rooms/{id}/lastRead': ['lastRead is broadcast to all members of the room'],
  'POST /badges/byRoomTags': [
    'without tags, or with an empty array, all tags are queried',
    'tags match exactly',
    'only rooms that the user may access',
    '0 for a tag without unread messages',
  ],
  'GET /me/badge': ['the total over all rooms'],
  'GET /admin/clients': [
    ...['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$regex', '$options', '$in', '$nin', '$exists', '$type'],
    ...['_id', 'nickname', 'email', 'lastLoginTimeMS', 'createdAt'].map((field) => `filter by ${field}`),
    ...['_id', 'nickname', 'email', 'avatarUrl', 'address', 'userAgent', 'lastLoginTimeMS'].map(
      (field) => `result.data[].${field}`,
    ),
    'no tokens',
  ],
  'POST /admin/clients': [
    'mode 1: issueAccessToken true returns a new token and expirationDate',
    'mode 1: the old token of an existing user becomes invalid',
    'mode 2: creates with an external token, returns the bare object',
    'mode 3: binds a token to an existing user in the place of the old one',
    'mode 4: only supplied fields change',
    'modes 1, 3 and 4 answer the envelope with the User',
    'token fields only when a token operation occurred',
  ],
  'DELETE /admin/clients/{client_id}/token': [
    'with token, only that token is revoked',
    'without token, all of the user’s tokens are removed',
    'the effect is immediate',
  ],
  'DELETE /admin/clients/{uid}/mute/{room}': ['result is the updated User', 'limit and skip have no effect'],
  'POST /me/subscribe': ['type ios', 'type of the Android network', 'a connected deviceId needs no push'],
  'POST /me/unsubscribe': ['unregisters the device token'],
  'POST /config': [
    'result is the configuration settings',
    'each key is stored, any name and any value',
    'an existing key of the same name is overwritten',
    'changes are immediate',
  ],
  'DELETE /config/{key}': ['result is an empty object', 'removes the whole key'],
  'GET /config': ['clients read the current configuration'],
  'POST /push/push2clients': [
    ...(interfaceResources['PushPayload'] ?? []).map((field) => `payload.${fieldName(field)}`),
    'payload.alert as plain text',
    'result is an empty object',
    'reaches the iOS network',
    'reaches the Android network',
    'who has registered no token receives nothing',
  ],
  'POST /blockStatus/room/{roomID}/{blockee}': [
    'by a platform admin',
    'by the room owner',
    'result is the Ban record',
    'applies to that room only',
    'takes effect immediately: the banned cannot send there',
  ],
  'DELETE /blockStatus/room/{roomID}/{blockee}': ['by the room owner', 'result is the Ban record'],
  'GET /admin/connection-count': ['HTTP requests are not counted'],
}

function ofResult(field: string): string {
  return `result.${field}`
}

function rowsOf(name: string): string[] {
  const {
    headers = [],
    query = [],
    body = [],
    result = [],
    bareResult = [],
    errors = [],
  } = interfaceOperations[name] ?? {}
  return [
    ...headers.map((header) => `header ${fieldName(header)}`),
    ...query.map((parameter) => `?${fieldName(parameter)}`),
    ...body.map((field) => `body.${fieldName(field)}`),
    ...result.filter(isField).map((field) => ofResult(fieldName(field))),
    ...bareResult.map((field) => `bare ${fieldName(field)}`),
    ...(said[name] ?? []),
    ...errors,
  ]
}

/** Every endpoint with its parameters, fields, statements and errors. */
export const endpoints: Chapter = {
  title: 'Endpoints',
  sections: Object.fromEntries(Object.keys(interfaceOperations).map((name) => [name, rowsOf(name)])),
}
