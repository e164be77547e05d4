import { type ConfigVersion, configVersionFields } from '../apps/config.ts'
import { type ConfigMark, type ConfigMarkDoc, configMarkKey } from '../apps/config-mark.ts'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import type { SendKeyDoc } from '../messages/documents.ts'
import type { RoomDoc } from '../rooms/documents.ts'
import type { Sender } from '../rooms/memberships.ts'
import { type RoomToSendTo, roomFields } from './append.ts'

export interface SendFacts {
  /** With the buffered messages that have one of `sendKeys`. */
  rooms: (RoomToSendTo & Pick<RoomDoc, 'buffer'> & { slow?: SlowMode })[]
  memberships: Sender[]
  /** The apps' configuration marks, read before the versions. */
  marks: ConfigMark[]
  /** The versions of the apps' values under `configName`; the values can be large. */
  config: ConfigVersion[]
  /** The used idempotency keys, with the ID of the message sent under each. */
  usedKeys: Map<string, string>
  /** Pauses of slow mode, by the ID of the membership. */
  pauses: Map<string, Pause>
}

/** Slow mode of a room; `sent`: the senders' buffered messages. */
export interface SlowMode extends Pick<RoomDoc, 'owner' | 'managers'> {
  everyMS: number
  sent: { sender: string; atMS: number }[]
}

/** A member's slow mode interval, and the time of the member's last message; -Infinity for none. */
export interface Pause {
  everyMS: number
  lastMS: number
}

type Found =
  | { rooms: SendFacts['rooms'][number] | ConfigMarkDoc }
  | { memberships: Sender }
  | { config: ConfigVersion }
  | { sendKeys: SendKeyDoc }

/** The facts to read; rooms and memberships by ID. */
interface WantedFacts {
  rooms: readonly string[]
  memberships: readonly string[]
  senders: readonly string[]
  apps: readonly string[]
  configName: string
  /** Idempotency keys as given by the senders. */
  sendKeys: readonly string[]
  /** The `_id`s of `sendKeys` in the collection. */
  keysNoted: readonly string[]
}

/** Reads the rooms, then everything else, in one round trip: a round trip costs both sides more than the reads. */
export async function findSendFacts(db: Db, wanted: WantedFacts): Promise<SendFacts> {
  const config = wanted.apps.map((app) => key(app, wanted.configName))
  const marks = wanted.apps.map(configMarkKey)
  const found = await db.rooms
    .aggregate<Found>([
      ...oneOf('rooms', [...wanted.rooms, ...marks], {
        ...roomFields,
        mark: 1,
        slow: slowMode(wanted.senders),
        ...sentBy(wanted.sendKeys),
      }),
      {
        $unionWith: {
          coll: db.memberships.collectionName,
          pipeline: oneOf('memberships', wanted.memberships, memberFields),
        },
      },
      { $unionWith: { coll: db.config.collectionName, pipeline: oneOf('config', config, configVersionFields) } },
      ...(wanted.keysNoted.length > 0
        ? [{ $unionWith: { coll: db.sendKeys.collectionName, pipeline: oneOf('sendKeys', wanted.keysNoted) } }]
        : []),
    ])
    .toArray()
  const facts = noFacts()
  const markOf = new Map<string, string>()
  for (const one of found) {
    if ('memberships' in one) facts.memberships.push(one.memberships)
    else if ('config' in one) facts.config.push(one.config)
    else if ('sendKeys' in one) facts.usedKeys.set(one.sendKeys._id, one.sendKeys.message)
    else if ('mark' in one.rooms) markOf.set(one.rooms._id, one.rooms.mark)
    else facts.rooms.push(one.rooms)
  }
  return { ...facts, marks: wanted.apps.map((app) => ({ app, mark: markOf.get(configMarkKey(app)) })) }
}

export function noFacts(): SendFacts {
  return { rooms: [], memberships: [], marks: [], config: [], usedKeys: new Map(), pauses: new Map() }
}

const memberFields = { blocked: 1, blockedUntilMS: 1 } satisfies Partial<Record<keyof Sender, 1>>

/** Absent for rooms without slow mode. */
function slowMode(senders: readonly string[]): object {
  const own = { $in: ['$$this.sender', senders.map(($literal) => ({ $literal }))] }
  const buffer = { $filter: { input: { $ifNull: ['$buffer', []] }, cond: own } }
  const sent = { $map: { input: buffer, in: { sender: '$$this.sender', atMS: '$$this.createdAtMS' } } }
  const slow = { everyMS: { $multiply: ['$slowModeS', 1_000] }, owner: '$owner', managers: '$managers', sent }
  return { $cond: [{ $gt: ['$slowModeS', 0] }, slow, '$$REMOVE'] }
}

function sentBy(sendKeys: readonly string[]): object {
  if (sendKeys.length === 0) return {}
  const buffer = { $ifNull: ['$buffer', []] }
  return {
    buffer: {
      $filter: { input: buffer, cond: { $in: ['$$this.sendKey', sendKeys.map(($literal) => ({ $literal }))] } },
    },
  }
}

/** Pipeline that finds documents by ID and wraps each as `{ [name]: document }`. */
export function oneOf(name: string, ids: readonly string[], fields?: object): object[] {
  return [
    { $match: { _id: { $in: [...ids] } } },
    ...(fields ? [{ $project: fields }] : []),
    { $project: { _id: 0, [name]: '$$ROOT' } },
  ]
}
