/**
 * The names in the interface, for tests that compare the OpenAPI and AsyncAPI documents with it both ways: everything
 * else must be marked as an extension. A field is written `name type`, with `*` where it is required of the caller or
 * always present in a response; fields of inline objects as `outer.inner`, of list elements as `list[].inner`.
 */
export interface InterfaceOperation {
  /** Headers beside those of authentication. */
  headers?: string[]
  params?: string[]
  query?: string[]
  body?: string[]
  /** `result` of the envelope, or a whole bare response. */
  result?: string[]
  /** The bare response of an operation that has the envelope in its other modes. */
  bareResult?: string[]
  /** Status and code. */
  errors?: string[]
}

const limit = 'limit number'
const skip = 'skip number'
const invalidApiKey = '401 INVALID_API_KEY'
const invalidToken = '401 INVALID_TOKEN'
const inspect = ['inspect* object', 'inspect.query* any', 'inspect.tookMS* number']
const blockStatus = ['roomID* string', 'blockee* string']

/** Endpoints and their errors. */
export const interfaceOperations: Record<string, InterfaceOperation> = {
  'GET /rooms/{id}/messages/v3': {
    params: ['id* string'],
    query: [limit, 'beforeMessage string', 'afterMessage string', 'afterTime string', 'timeRangeField string'],
    result: ['totalCount* number', 'data* Message[]', 'userDeletedIDs* string[]', ...inspect],
    errors: [invalidToken, '403 NOT_ROOM_MEMBER', '404 ROOM_NOT_FOUND'],
  },
  'POST /messages': {
    body: [
      'room* string',
      'sender* string',
      'message* any',
      'messageType* string',
      'push boolean',
      'skipTotalBadge boolean',
      'mentions string[]',
    ],
    result: ['SentMessage'],
    errors: [invalidApiKey, '404 ROOM_NOT_FOUND'],
  },
  'GET /rooms': {
    headers: ['IM-CLIENT-ID* string'],
    query: ['sort string', skip, limit, 'updatedAfter string', 'pref string', 'sortUnreadFirst number'],
    result: ['totalCount* number', 'data* Room[]', ...inspect],
  },
  'POST /rooms/': { body: ['roomType* string', 'members* string[]', 'name string'], result: ['Room'] },
  'PUT /rooms/{id}/lastRead': { params: ['id* string'], body: ['message* string'] },
  'POST /badges/byRoomTags': {
    body: ['tags string[]'],
    result: ['totalBadge* number', 'data* object'],
    errors: [invalidToken, '400 INVALID_TAGS'],
  },
  'GET /me/badge': { result: ['badge* number'] },
  'GET /admin/clients': {
    query: ['q string', limit, skip],
    result: ['totalCount* number', 'data* AdminUser[]'],
    errors: ['400 INVALID_QUERY', invalidApiKey, '413 RESULT_TOO_LARGE'],
  },
  'POST /admin/clients': {
    body: [
      '_id* string',
      'nickname string',
      'avatarUrl string',
      'issueAccessToken boolean',
      'token string',
      'expirationDate string',
    ],
    result: ['SavedUser'],
    bareResult: [
      '_id* string',
      'nickname* string',
      'avatarUrl* string',
      'issueAccessToken* boolean',
      'token* string',
      'expirationDate* string',
    ],
    errors: [invalidApiKey, '400 INVALID_REQUEST', '401 UNAUTHORIZED', '409 USER_EXISTS'],
  },
  'DELETE /admin/clients/{client_id}/token': {
    params: ['client_id* string'],
    body: ['token string'],
    result: ['success* boolean', 'message* string', 'revokedTokens* number'],
    errors: ['401 UNAUTHORIZED', '404 CLIENT_NOT_FOUND', '404 TOKEN_NOT_FOUND'],
  },
  'DELETE /admin/clients/{uid}/mute/{room}': {
    params: ['uid* string', 'room* string'],
    query: ['limit string', 'skip string'],
    result: ['AdminUser'],
    errors: [invalidApiKey, '404 CLIENT_NOT_FOUND', '404 ROOM_NOT_FOUND', '400 ROOM_NOT_MUTED'],
  },
  'POST /me/subscribe': { body: ['type* string', 'token* string', 'deviceId* string'] },
  'POST /me/unsubscribe': {},
  'GET /admin/groups': {
    query: [limit],
    result: ['totalCount* number', 'data* UserGroup[]'],
    errors: [invalidApiKey],
  },
  'POST /config': { errors: [invalidApiKey, '400 INVALID_BODY'] },
  'DELETE /config/{key}': { params: ['key* string'], errors: [invalidApiKey, '404 CONFIG_NOT_FOUND'] },
  'GET /config': {},
  'POST /push/push2clients': {
    body: ['clients* string[]', 'payload* PushPayload'],
    errors: [invalidApiKey, '400 MISSING_PARAMETER'],
  },
  'POST /blockStatus/room/{roomID}/{blockee}': {
    params: blockStatus,
    result: ['Ban'],
    errors: [invalidToken, '403 INSUFFICIENT_PERMISSIONS', '404 ROOM_OR_USER_NOT_FOUND', '409 USER_ALREADY_BLOCKED'],
  },
  'DELETE /blockStatus/room/{roomID}/{blockee}': {
    params: blockStatus,
    result: ['Ban'],
    errors: [invalidToken, '403 INSUFFICIENT_PERMISSIONS', '404 BLOCK_NOT_FOUND', '400 INVALID_USER_ID'],
  },
  'GET /admin/stats': {
    result: [
      'clientKey* string',
      'apiKey* string',
      'startTime* string',
      'endTime* string',
      'start* number',
      'end* number',
      'userList* string[]',
      'roomCount* number',
      'totalRoomCount* number',
      'messageCount* number',
      'peakConnectionCount* number',
      'totalMem* number',
      'freeMem* number',
    ],
    errors: [invalidApiKey, '403 PERMISSION_DENIED'],
  },
  'GET /admin/connection-count': { result: ['count* number'], errors: [invalidApiKey, '403 PERMISSION_DENIED'] },
}

const idAndName = ['_id* string', 'id* string', 'nickname* string']
const message = [
  '_id* string',
  'id* string',
  'message any',
  'room* string',
  'messageType* string',
  'appID* string',
  'messageTime* string',
  'messageTimeMS* number',
  'updatedAtMS* number',
  'createdAtMS* number',
  'reactions* Reaction[]',
  'reactionCount* number',
  'isDeleted* boolean',
]
const user = [
  ...idAndName,
  'appID* string',
  'description* string',
  'email string',
  'avatarUrl* string',
  'address Address',
  'userAgent string',
  'isRobot* boolean',
  'mute* string[]',
  'updatedAt* string',
  'lastJoinOrCreateRoomTime string',
  'lastLoginTimeMS* number',
  '__v* number',
]

/** Resources and the payload of push2clients, by the names of the documents' schemas. */
export const interfaceResources: Record<string, string[]> = {
  Message: [...message, 'sender* Sender'],
  SentMessage: [...message, 'sender* string'],
  Sender: [...idAndName, 'description* string', 'avatarUrl* string', 'isRobot boolean', 'lastLoginTimeMS* number'],
  Address: ['port number', 'family* string', 'address* string'],
  User: user,
  AdminUser: user,
  SavedUser: [...user, 'token string', 'expirationDate string'],
  Room: [
    '_id* string',
    'id* string',
    'name* string',
    'cover* string',
    'description* string',
    'roomType* string',
    'webhook* string',
    'botState* string',
    'botMode* boolean',
    'encrypted* boolean',
    'serviceStatus* number',
    'roomTags* string[]',
    'status* number',
    'unread number',
    'muted boolean',
    'lastMessage Message',
    'members* Sender[]',
    'pref RoomPref',
    'createdTimeMS* number',
  ],
  RoomPref: [
    'tags* string[]',
    'tagColors* object',
    'hidden* boolean',
    'sticky* boolean',
    'muted* boolean',
    'folder* string',
  ],
  UserGroup: ['_id* string', 'nickname* string', 'avatarUrl* string', 'members* string[]'],
  Ban: [
    'appID* string',
    'blockee* object',
    'blockee._id* string',
    'blockee.id* string',
    'blockee.nickname* string',
    'blockee.avatarUrl* string',
    'blockee.lastLoginTimeMS* number',
    'blocker* string',
    'room* string',
    'createdAt* string',
    'updatedAt* string',
  ],
  PushPayload: [
    'type string',
    'expiry number',
    'alert string | object',
    'alert.loc-key string',
    'alert.loc-args any[]',
    'badge number',
    'sound string',
    'topic string',
    'title string',
    'body string',
    'icon string',
    'collapseKey string',
  ],
  // "Elements of reactions: not shown."
  Reaction: [],
}

/** The payload of each event. */
export const interfaceEvents: Record<string, string[]> = {
  'chat message': ['Message'],
  room: ['Room'],
  lastRead: ['roomID* string', 'memberID* string', 'messageID* string'],
  typing: ['room* string', 'message* string'],
  ai_streaming: ['room* string', 'sender* string', 'text* string'],
  roomPref: [
    'room* string',
    'folder* string',
    'hidden* boolean',
    'muted* boolean',
    'sticky* boolean',
    'tags* string[]',
  ],
  myPrefChange: ['data* any', 'key* string'],
  myPrefDelete: ['string'],
  // "Payload of invitation: not shown."
  invitation: ['Invitation'],
  userDeleteMessages: ['room* string', 'messages* string[]', 'isUserDeleteAllMessagesInRoom* boolean'],
  messageDeleted: ['room* string', 'messageID* string'],
}

/** The arguments of each emit before its acknowledgement. */
export const interfaceEmits: Record<string, string[]> = {
  conf: ['[0] object', '[0].encoding string'],
  auth2: ['[0] string', '[1] object', '[1].deviceId string'],
}

/** The body of the integrator's push callback. */
export const interfacePushCall = [...message, 'sender* Sender', 'roomName* string', 'pushToClients* string[]']
