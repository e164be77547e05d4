import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { ExplainedDevice, PushExplanation, PushReason } from '@parley/contracts/resources/push/explanation'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { MessageDoc } from '@parley/db/messages/documents'
import { findStream } from '@parley/db/messages/message-streams'
import { findRoomOfMessage, findSentMessage } from '@parley/db/messages/messages'
import { findCall } from '@parley/db/push/call-history'
import type { PushDecisionDoc } from '@parley/db/push/documents'
import { findDecisions, findResults } from '@parley/db/push/push-decisions'
import { findPushesTo, isPushDecided } from '@parley/db/push/pushes'
import { findMembership } from '@parley/db/rooms/memberships'
import { findDevicesOfUsers } from '@parley/db/users/devices'
import type { DeviceDoc } from '@parley/db/users/documents'
import { findUser } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import { unknownMessage } from '../messages/require-message.ts'
import { explainDevices, reasonOf } from './explained-devices.ts'
import { reasonNow } from './suppression-reasons.ts'

/** By then all members are decided, even if the record of that was lost or has expired. */
const decidedByMS = 60 * 60 * 1_000

/**
 * Explains, per device of a user, why a message was or was not pushed, and the outcome
 * (docs/reference/push.md#why-a-push-came-or-did-not).
 * @throws ApiError MESSAGE_NOT_FOUND, CLIENT_NOT_FOUND
 */
export async function whyPush({ db }: Chat, app: string, id: string, client: string): Promise<PushExplanation> {
  const roomId = await findRoomOfMessage(db, app, id)
  const message = roomId === undefined ? undefined : await findSentMessage(db, key(app, roomId), id)
  if (!message) throw unknownMessage(id)
  if (!(await findUser(db, app, client))) throw new ApiError('CLIENT_NOT_FOUND', `no user ${JSON.stringify(client)}`)
  const content = key(app, id)
  // Read before the decisions, which are stored page by page.
  const isWhole = message.createdAtMS < clock.now() - decidedByMS || (await isPushDecided(db, content))
  const { isAny, decisions } = await findDecisions(db, content, client)
  const devices = await findDevicesOfUsers(db, app, [client])
  const about = { message: id, room: message.room, client }
  const decidedAtMS = decisions[0]?.at.getTime()
  const when = decidedAtMS === undefined ? {} : { decidedAtMS }
  const forAll = (reason: PushReason, recorded: boolean): PushExplanation => ({
    ...{ ...about, recorded, ...when, reason },
    devices: devices.map((device) => notSent(device, reason)),
  })
  if (message.push === false) {
    // A streamed message is pushed when it ends.
    const isToCome = message.streaming && (await findStream(db, app, id))?.push
    return isToCome ? forAll('STREAMING', false) : forAll('PUSH_FALSE', true)
  }
  const called = decisions.find((decision) => decision.called?.includes(client))
  if (called) return { ...forAll('PUSH_GENERIC', true), ...(await findCallOf(db, app, called)) }
  const reason = reasonOf(decisions, client)
  if (reason) return forAll(reason, true)
  const [pushes, results] = await Promise.all([findPushesTo(db, content, client), findResults(db, content, client)])
  const decided = explainDevices(content, client, { decisions, pushes, results })
  if (decided.length > 0) return { ...about, recorded: true, ...when, devices: decided }
  if (isAny && isWhole) return forAll(await reasonOfAbsent(db, message, client), true)
  return forAll(await reasonNow(db, message, client, devices), false)
}

/** Why a user is in none of the examined pages of members. */
async function reasonOfAbsent(db: Db, { app, room, threadOf }: MessageDoc, client: string): Promise<PushReason> {
  if (threadOf === undefined) return 'NOT_A_MEMBER'
  return (await findMembership(db, app, room, client)) ? 'NOT_IN_THREAD' : 'NOT_A_MEMBER'
}

function notSent({ device, type }: DeviceDoc, reason: PushReason): ExplainedDevice {
  return { deviceId: device, network: type === 'ios' ? 'apns' : type, outcome: 'not sent', reason }
}

async function findCallOf(db: Db, app: string, { call: id }: PushDecisionDoc): Promise<Pick<PushExplanation, 'call'>> {
  const call = id === undefined ? null : await findCall(db, app, id)
  if (!call) return {}
  const { _id, state, tries, lastError } = call
  return { call: { id: _id, state, tries, ...(lastError !== undefined && { lastError }) } }
}
