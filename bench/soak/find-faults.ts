import { setTimeout as pause } from 'node:timers/promises'
import { asMessages } from '@parley/db/message-buckets/all-messages'
import { type Document, MongoClient } from 'mongodb'

export interface Acknowledged {
  _id: string
  room: string
  sender: string
}

/** Timeout for the relay to finish the work of killed gateways. */
const flushWithinMS = 60_000

/** Waits until all data is flushed; returns a sentence for each fault in it. */
export async function findFaults(
  mongoUrl: string,
  app: string,
  { rooms, users, acknowledged }: { rooms: string[]; users: string[]; acknowledged: readonly Acknowledged[] },
): Promise<string[]> {
  const mongo = new MongoClient(mongoUrl)
  const db = mongo.db()
  const untilMS = Date.now() + flushWithinMS
  while ((await db.collection('rooms').countDocuments({ 'buffer.0': { $exists: true } })) > 0) {
    if (Date.now() > untilMS) return ['messages are not flushed']
    await pause(200)
  }
  const faults: string[] = []
  for (const room of rooms) {
    const roomKey = `${app}\0${room}`
    const own = acknowledged.filter((message) => message.room === room)
    const stored = await db
      .collection('messageBuckets')
      .aggregate<{ _id: unknown; seq: number; sender: string; start: string }>([
        { $match: { roomKey } },
        ...asMessages,
        { $unionWith: { coll: 'messages', pipeline: [{ $match: { roomKey } }] } },
        // The content begins with the number of the send.
        { $project: { seq: 1, sender: 1, start: { $substrCP: ['$content', 0, 20] } } },
        { $sort: { seq: 1 } },
      ])
      .toArray()
    const ids = new Set(stored.map(({ _id }) => String(_id)))
    const missing = own.filter(({ _id }) => !ids.has(_id))
    if (missing.length > 0) faults.push(`${room}: ${missing.length} missing, such as ${missing[0]?._id}`)
    const sends = new Set(stored.map(({ start }) => start))
    if (sends.size < stored.length) faults.push(`${room}: ${stored.length - sends.size} stored twice`)
    if (new Set(own.map(({ _id }) => _id)).size < own.length) faults.push(`${room}: two sends got the same ID`)
    const hole = stored.findIndex(({ seq }, i) => seq !== i + 1)
    if (hole >= 0) faults.push(`${room}: no message with seq ${hole + 1}`)
    const { seq = 0 } = (await db.collection<{ _id: string; seq?: number }>('rooms').findOne({ _id: roomKey })) ?? {}
    if (seq !== stored.length) faults.push(`${room}: seq is ${seq}, but ${stored.length} messages are stored`)
    for (const user of users) {
      const membership = await db
        .collection<Document & { _id: string }>('memberships')
        .findOne({ _id: `${roomKey}\0${user}` })
      const sent = stored.filter(({ sender }) => sender === user).length
      if (membership?.['uncounted'] !== sent) {
        faults.push(`${room}: ${user} sent ${sent}, but uncounted is ${membership?.['uncounted']}`)
      }
    }
  }
  await mongo.close()
  return faults
}
