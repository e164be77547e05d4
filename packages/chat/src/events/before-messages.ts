import { clock } from '@parley/async/clock'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { LRUCache } from 'lru-cache'
import { roomOrderingKey } from './ordering-keys.ts'

/** Far longer than the relay leaves a join unpublished while any process reaches the bus. */
const mayWaitMS = 3_600_000
const maxRooms = 10_000

/** The fields of a room that tell whether its messages must wait. */
export type RoomWithMessages = Pick<RoomDoc, '_id' | 'app' | 'id' | 'erasing' | 'joinedAtMS'>

interface BeforeMessagesParts {
  publishKeys: (orderingKeys: readonly string[]) => Promise<boolean>
  /** The same if a join waits under the key. Other events of the room, such as a new name, must not delay messages. */
  publishJoins: (orderingKey: string) => Promise<boolean>
}

interface Joins {
  upToMS: number
  arePublished: Promise<boolean>
  areOver: boolean
}

/**
 * Publishes the events of a room that must precede its new messages: a pending deletion of all messages, and joins, so that
 * the sockets of new members get every message that counts as unread for them. A message that was accepted after a join was
 * decided by facts that contain it.
 */
export function createBeforeMessages({ publishKeys, publishJoins }: BeforeMessagesParts) {
  /** By room: the joins up to a time, which are published or being published. */
  const joins = new LRUCache<string, Joins>({ max: maxRooms })

  async function joinsOf(
    { _id, joinedAtMS: upToMS = 0 }: RoomWithMessages,
    arePublished: Promise<boolean>,
  ): Promise<boolean> {
    // Another change of the room, such as a removal: no message waits for it.
    if ((joins.peek(_id)?.upToMS ?? Number.NEGATIVE_INFINITY) >= upToMS) return arePublished
    const entry: Joins = { upToMS, arePublished, areOver: false }
    joins.set(_id, entry)
    entry.areOver = await arePublished
    if (entry.areOver) return true
    if (joins.peek(_id) === entry) joins.delete(_id)
    return false
  }

  return {
    /** The joins of a room are being published. */
    joinsOf,
    /** Resolves to whether the bus has all of them; undefined if there are none. Never fails. */
    publish(room: RoomWithMessages): Promise<boolean> | undefined {
      const { _id, app, id, erasing, joinedAtMS = 0 } = room
      if (erasing?.unpublished !== undefined) return publishKeys([roomOrderingKey(app, id)])
      if (joinedAtMS < clock.now() - mayWaitMS) return undefined
      const known = joins.get(_id)
      if (known && known.upToMS >= joinedAtMS) return known.areOver ? undefined : known.arePublished
      return joinsOf(room, publishJoins(roomOrderingKey(app, id)))
    },
  }
}
