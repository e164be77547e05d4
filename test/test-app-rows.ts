import type { Db } from '@parley/db/connect'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'

/**
 * Inserts a document of the app into every collection that a short chat leaves empty. As in real documents, IDs and keys begin with
 * the app's ID (packages/db/src/keys.ts), or a field contains it.
 */
export async function fillCollections(db: Db, app: string): Promise<void> {
  const key = (...parts: string[]) => [app, ...parts].join('\0')
  const ofRoom = { app, room: 'room', roomKey: key('room') }
  const far = new Date(Date.now() + 86_400_000)
  const [message] = await findAllMessages(db, { app })
  const noted = [
    { kind: 'event', to: { app, room: 'room' }, event: 'room', json: '{}', id: 'noted' },
    { kind: 'message', message: message?._id, event: 'chat message' },
  ]
  // In the future, so that no relay picks it up.
  const atMS = far.getTime()
  const rows: Record<string, object> = {
    bans: { _id: key('room', 'bob'), ...ofRoom, blockee: 'bob', createdAt: new Date() },
    blocks: { _id: key('ann', 'bob'), app, blocker: 'ann', blockerKey: key('ann'), createdAt: new Date() },
    bookmarks: { _id: key('ann', 'm'), app, userKey: key('ann'), message: 'm', atMS: 1 },
    callQueues: { _id: key('room'), target: 'http://x', dueAtMS: atMS, failures: 0, version: 1 },
    config: { _id: key('X'), app, name: 'X', json: '1', version: 'v' },
    devices: { _id: key('ann', 'phone'), app, user: 'ann', userKey: key('ann'), token: 'of a phone', type: 'fcm' },
    deviceTokens: { _id: key('of a phone'), device: key('ann', 'phone') },
    directRooms: { _id: key('ann', 'bob'), roomKey: key('room') },
    files: { _id: key('f'), app, id: 'f', name: 'a', secret: 's', size: 1, createdAtMS: 1, checkAtMS: atMS },
    filesToClear: { _id: key('room'), room: { app, id: 'room' }, nextMS: atMS },
    holdMarks: { _id: key('0'), count: 1 },
    holds: {
      _id: key('h'),
      app,
      id: 'h',
      room: 'kept',
      covers: key('room', 'kept'),
      reason: 'a trial',
      createdAtMS: 1,
    },
    importedLines: { _id: key('batch'), hashes: Buffer.alloc(8) },
    invitations: { _id: key('room', 'bob'), app, room: 'room', invitee: 'bob', inviter: 'ann' },
    jobs: { _id: key('job'), app, id: 'job', kind: 'batch', state: 'done', total: 1, done: 1 },
    linkCards: { _id: key('digest'), fetchedAt: new Date(), card: { title: 'Page' } },
    outgoingCalls: { _id: `push_${app} x`, app, queue: `push_${app} x`, state: 'waiting', order: 1, tries: 0 },
    messageStreams: {
      _id: key('m'),
      app,
      message: 'm',
      room: 'room',
      sender: 'ann',
      push: true,
      parts: [],
      end: 0,
      closeAtMS: far.getTime(),
    },
    messages: { _id: `apart ${app}`, ...ofRoom, seq: 2 },
    outbox: { _id: `note ${app}`, app, atMS, events: noted },
    publishedEvents: { _id: `note ${app}`, app, atMS, at: new Date(), events: noted },
    prefs: { _id: key('ann', 'theme'), userKey: key('ann'), name: 'theme', json: '1' },
    pushContents: { _id: key('m'), json: '{}', at: new Date() },
    pushDecisions: { _id: key('m', '0'), at: new Date(), users: { SENDER: ['ann'] } },
    pushResults: { _id: key('m', 'x'), at: new Date(), results: [] },
    pushes: { _id: key('m', 'ann', 'phone'), app, network: 'fcm', content: key('m'), at: new Date() },
    reminders: { _id: key('ann', 'm'), app, userKey: key('ann'), message: 'm', atMS, nextMS: atMS },
    reports: { _id: key('m'), app, id: 'r', message: 'm', reporters: [], status: 'open', createdAtMS: 1 },
    scheduled: {
      _id: key('s'),
      app,
      id: 's',
      room: 'room',
      sender: 'ann',
      senderKey: key('ann'),
      content: '1',
      sendAtMS: 1,
    },
    searchProgress: { _id: key('room'), seq: 1 },
    searchTexts: {
      _id: `text ${app}`,
      ...{ app, roomKey: key('room'), seq: 1, sender: 'ann', messageType: 'text' },
      createdAtMS: 1,
      words: ['hello'],
    },
    sendKeys: { _id: key('ann', 'once'), message: 'm', usedAt: new Date() },
    statsPeaks: { _id: key('day', '0'), app, level: 'day', at: new Date(0), expiresAt: far },
    statsRooms: { _id: key('day', '0', 'room'), app, level: 'day', at: new Date(0), expiresAt: far },
    statsUsers: { _id: key('day', '0', 'ann'), app, level: 'day', at: new Date(0), expiresAt: far },
    threadMembers: {
      _id: key('room', 'm', 'ann'),
      ...ofRoom,
      roomKey: key('room', 'm'),
      user: 'ann',
      userKey: key('ann'),
    },
    userDeletions: { _id: key('room', 'ann', 'm'), roomKey: key('room'), user: 'ann', message: 'm', seq: 1 },
  }
  for (const [name, row] of Object.entries(rows)) {
    await db.mongo.collection<{ _id: string }>(name).insertOne(row as { _id: string })
  }
}
