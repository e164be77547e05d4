import { clock } from '@parley/async/clock'
import { type Delivery, readEvent } from '@parley/bus/events/incoming'
import { readPayload } from '@parley/bus/read-payload'
import type { MessageHandler } from '@parley/bus/stream/consume'
import type { PushNetwork } from '@parley/contracts/resources/push/network'
import { type EventPayload, serverEvents } from '@parley/contracts/socket/server-events'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findSentMessage } from '@parley/db/messages/messages'
import type { PushDoc } from '@parley/db/push/documents'
import { deviceOf } from '@parley/db/push/pushes'
import { noteSilentPushes, pagePushesOf } from '@parley/db/push/silent-pushes'
import { pageMembers } from '@parley/db/rooms/memberships'
import { findRoom } from '@parley/db/rooms/rooms'
import { findDevices } from '@parley/db/users/devices'
import { isPresenceAway, type Presence } from '@parley/presence/connect'
import { findPushed, forgetPushed } from '@parley/presence/pushed-rooms'
import { networkOf } from './device-push.ts'
import { lastAttempt, type WhoIsOnline } from './who-is-online.ts'

export interface TakeAwayParts {
  db: Db
  presence: Presence
  whoIsOnline: WhoIsOnline
  /** The configured networks. */
  networks: ReadonlySet<PushNetwork>
  keepMS: number
}

interface ReadEvent {
  event: Delivery
  read: EventPayload<'lastRead'>
}

/** A device gets at most one silent push in this time: it takes away all that was read or deleted until then. */
const windowMS = 5_000
const perPage = 1_000

export interface TakeAway {
  /** Of `lastRead`. */
  reads: MessageHandler<ReadEvent>
  /** Of a message that was deleted or recalled. */
  ofMessage: (app: string, message: string) => Promise<void>
  /** Of a room whose messages were all deleted. */
  ofRoom: (app: string, room: string) => Promise<void>
}

/** Takes away notifications of what was read on another device, or was deleted: by silent pushes, only to devices that got pushes of it. */
export function createTakeAway(parts: TakeAwayParts): TakeAway {
  const { db, presence, whoIsOnline, networks } = parts

  async function afterRead({ event, read: { roomID: room, memberID: user, messageID } }: ReadEvent): Promise<void> {
    const { app } = event.to
    const pushed = await findPushed(presence, { app, room }, [user])
    if (pushed.size === 0) return
    const readSeq = (await findSentMessage(db, key(app, room), messageID))?.seq ?? 0
    await takeRoomAway({ app, room, upToSeq: readSeq }, pushed, event.attempt)
  }

  /** From devices whose last push of the room is at most of this seq. */
  async function takeRoomAway(
    { app, room, upToSeq }: { app: string; room: string; upToSeq: number },
    pushed: ReadonlyMap<string, ReadonlyMap<string, number>>,
    attempt: number,
  ): Promise<void> {
    const gone = [...pushed].map(([user, devices]) => {
      return { user, devices: [...devices].flatMap(([device, seq]) => (seq <= upToSeq ? [device] : [])) }
    })
    const online = await whoIsOnline(app, [...pushed.keys()], attempt)
    // A connected device has heard the event.
    const away = gone.flatMap(({ user, devices }) =>
      devices.flatMap((device) => (online.get(user)?.has(device) ? [] : [key(app, user, device)])),
    )
    const silent = (await findDevices(db, away)).flatMap((to) => {
      const network = networkOf[to.type]
      return networks.has(network) ? [silentPush(parts, { ...to, network }, { rooms: [room] })] : []
    })
    await noteSilentPushes(db, silent)
    for (const { user, devices } of gone) await forgetPushed(presence, { app, room, user }, devices)
  }

  async function afterDeletion(app: string, room: string): Promise<void> {
    const upToSeq = (await findRoom(db, app, room))?.deletedUpToSeq ?? 0
    for await (const members of pageMembers(db, key(app, room), perPage)) {
      const users = members.map(({ user }) => user)
      const pushed = await findPushed(presence, { app, room }, users)
      if (pushed.size > 0) await takeRoomAway({ app, room, upToSeq }, pushed, lastAttempt)
    }
  }

  /** Without Redis nothing is known to have been pushed: the badge follows with the next push. */
  async function whereKnown(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      if (!isPresenceAway(error)) throw error
    }
  }

  return {
    reads: {
      read(...raw) {
        const event = readEvent(...raw)
        return { event, read: readPayload(event, serverEvents.lastRead.payload) }
      },
      async handle(what) {
        if (networks.size === 0) return
        await whereKnown(afterRead(what))
      },
    },
    async ofRoom(app, room) {
      if (networks.size > 0) await whereKnown(afterDeletion(app, room))
    },
    async ofMessage(app, message) {
      if (networks.size === 0) return
      for await (const pushes of pagePushesOf(db, app, message, perPage)) {
        // One that waits is dropped when its turn comes.
        const sent = pushes.filter(({ dueAtMS, network }) => dueAtMS === undefined && networks.has(network))
        const online = await whoIsOnline(app, [...new Set(sent.map(({ user }) => user))], lastAttempt)
        const silent = sent.flatMap((push) => {
          const to = { ...push, device: deviceOf(push) }
          return online.get(push.user)?.has(to.device) ? [] : [silentPush(parts, to, { messages: [message] })]
        })
        await noteSilentPushes(db, silent)
      }
    },
  }
}

/** One push for all that a device is told in the present window. */
function silentPush(
  { keepMS }: TakeAwayParts,
  {
    app,
    user,
    device,
    network,
    token,
    topic,
  }: Pick<PushDoc, 'app' | 'user' | 'network' | 'token' | 'topic'> & { device: string },
  takesAway: PushDoc['takesAway'] & object,
): PushDoc {
  const dueAtMS = (Math.floor(clock.now() / windowMS) + 1) * windowMS
  // No message has this ID.
  const content = key(app, '', String(dueAtMS))
  return {
    ...{ _id: key(content, user, device), app, network, content, user, token, takesAway },
    ...(topic !== undefined && { topic }),
    // Counted when it is sent.
    badge: 0,
    ...{ dueAtMS, tries: 0, giveUpAtMS: dueAtMS + keepMS, at: clock.date() },
  }
}
