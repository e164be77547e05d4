/** Example resources of the OpenAPI document. A test checks each against its schema. */
export const exampleSender = {
  _id: 'alice',
  id: 'alice',
  nickname: 'Alice',
  description: '',
  avatarUrl: '',
  isRobot: false,
  lastLoginTimeMS: 1_795_219_200_000,
}

export const exampleMessage = {
  _id: '66f0c1a2b3c4d5e6f7a8b9c0',
  id: '66f0c1a2b3c4d5e6f7a8b9c0',
  message: 'Hello!',
  room: 'demo-room',
  sender: exampleSender,
  messageType: 'text',
  appID: 'demo',
  messageTime: '2026-11-20T12:00:00.000Z',
  messageTimeMS: 1_795_176_000_000,
  updatedAtMS: 1_795_176_000_000,
  createdAtMS: 1_795_176_000_000,
  reactions: [],
  reactionCount: 0,
  isDeleted: false,
  seq: 1,
}

export const exampleUser = {
  _id: 'alice',
  id: 'alice',
  appID: 'demo',
  nickname: 'Alice',
  description: '',
  avatarUrl: '',
  isRobot: false,
  isAdmin: false,
  mute: [],
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
  lastLoginTimeMS: 1_795_219_200_000,
  __v: 0,
}

export const exampleRoom = {
  _id: 'demo-room',
  id: 'demo-room',
  appID: 'demo',
  name: 'Demo',
  cover: '',
  description: '',
  roomType: 'group' as const,
  webhook: '',
  botState: '',
  botMode: false,
  encrypted: false,
  serviceStatus: 0,
  roomTags: [],
  status: 1,
  members: [exampleSender],
  createdTimeMS: 1_795_176_000_000,
  memberCount: 1,
  managers: [],
  opening: 0,
  extParams: {},
}

export const exampleBlock = {
  appID: 'demo',
  blockee: { _id: 'bob', id: 'bob', nickname: 'Bob', avatarUrl: '', lastLoginTimeMS: 1_795_176_000_000 },
  blocker: 'alice',
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
}
