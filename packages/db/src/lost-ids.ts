import type { Collection } from 'mongodb'
import type { Db } from './db.ts'
import { key } from './keys.ts'

/** An ID that URL libraries normalize away from a path, so that its requests reach another resource. */
interface LostId {
  kind: 'user or user group' | 'room' | 'configuration key' | 'preference'
  app: string
  id: string
}

const lost = ['.', '..']

/** The users, groups, rooms, configuration keys and preferences named `.` or `..`. */
export async function findLostIds(db: Db): Promise<LostId[]> {
  const apps = await db.apps.find({}, { projection: { _id: 1 } }).toArray()
  const keys = apps.flatMap(({ _id }) => lost.map((id) => key(_id, id)))
  const ofKind = async (kind: LostId['kind'], collection: Collection<{ _id: string }>, filter: object) => {
    const found = await collection.find(filter, { projection: { _id: 1 } }).toArray()
    return found.map(({ _id }): LostId => ({ kind, app: _id.split('\0')[0] ?? '', id: _id.split('\0').at(-1) ?? '' }))
  }
  const found = await Promise.all([
    ofKind('user or user group', db.mongo.collection('users'), { _id: { $in: keys } }),
    ofKind('room', db.mongo.collection('rooms'), { _id: { $in: keys } }),
    ofKind('configuration key', db.mongo.collection('config'), { _id: { $in: keys } }),
    ofKind('preference', db.mongo.collection('prefs'), { name: { $in: lost } }),
  ])
  return found.flat()
}
