import { clock } from '@parley/async/clock'
import type { Chat } from '@parley/chat/chat'
import { answerWebhook } from '@parley/chat/integrations/answer-webhook'
import { currentCallData, waitedCallData } from '@parley/chat/integrations/call-data'
import { webhookUrlOf } from '@parley/chat/integrations/webhook-keys'
import type { NotificationsOfApp } from '@parley/chat/push/notification-settings'
import { typedCommand } from '@parley/chat/rooms/bot-commands'
import { ApiError } from '@parley/contracts/errors'
import { readJson } from '@parley/contracts/free-json'
import { takeBody } from '@parley/contracts/lenient'
import type { Message } from '@parley/contracts/resources/message'
import { type WebhookCall, webhookAnswer, webhookEvent } from '@parley/contracts/resources/webhook'
import type { Db } from '@parley/db/connect'
import type { OutgoingCallDoc } from '@parley/db/push/documents'
import { findRoom } from '@parley/db/rooms/rooms'
import type { Logger } from '@parley/service/log'
import type { Tracing } from '@parley/service/trace'
import type { SignedCall } from '@parley/wiring/hook-calls'
import type { Dispatcher } from 'undici'
import { asJson } from '../networks/network.ts'
import type { FindOnlineDevices } from '../recipients/online-devices.ts'
import { createSigningSecrets } from '../signing-secrets.ts'
import { type CallOutcome, callOnce } from './outgoing-call.ts'
import { recheckCall } from './recheck-call.ts'
import { originOf } from './room-webhook.ts'

interface DeliverCallParts {
  chat: Chat
  db: Db
  dispatcher: Dispatcher
  timeoutMS: number
  /** PUSH_GENERIC. */
  generic: string | undefined
  /** Pushes of older messages are dropped. */
  keepMS: number
  notificationsOf: NotificationsOfApp
  onlineDevicesOf: FindOnlineDevices
  log: Logger
  tracing: Tracing
}

/** After this long its message may have been deleted. */
const waitedMS = 1_000

/** Attempts a call once, with the room's current webhook and bot state, and applies the response. */
export function createCallDelivery(parts: DeliverCallParts): (call: OutgoingCallDoc) => Promise<CallOutcome> {
  const { db, dispatcher, timeoutMS, generic, tracing, log } = parts
  const signing = createSigningSecrets(db)

  /** If the server rejects the signature, the secret may have changed since it was read: retries once with the new one. */
  async function callSigned(
    app: string,
    secrets: readonly string[],
    call: Omit<SignedCall, 'secrets'>,
  ): Promise<CallOutcome> {
    const outcome = await callOnce(dispatcher, timeoutMS, { ...call, secrets })
    if (outcome.as !== 'refused' || !/^40[13]$/.test(outcome.reason)) return outcome
    signing.forget(app)
    const now = await signing.of(app)
    if (now.length === 0 || now.join() === secrets.join()) return outcome
    return callOnce(dispatcher, timeoutMS, { ...call, secrets: now })
  }

  async function deliver(call: OutgoingCallDoc): Promise<CallOutcome> {
    const secrets = await signing.of(call.app)
    if (secrets.length === 0) return { as: 'refused', reason: 'no such app' }
    const { _id: id } = call
    const data = await dataOf(db, call)
    if (call.kind === 'push') {
      const push = hasWaited(call) ? await recheckCall(parts, call, data) : { body: data }
      if (generic === undefined) return { as: 'refused', reason: 'PUSH_GENERIC is not set' }
      if ('body' in push) return callSigned(call.app, secrets, { url: generic, id, ...push })
      const { reason, isFault } = push
      return isFault ? { as: 'refused', reason } : { as: 'done', answer: '', notMade: reason }
    }
    const room = await findRoom(db, call.app, call.room)
    // Read now: the URL of a key may have changed while the call waited.
    const url = await webhookUrlOf(db, call.app, room?.webhook ?? '')
    if (!room || url === undefined || originOf(url) === undefined)
      return { as: 'refused', reason: 'the room no longer has a webhook' }
    const about = readJson(data) as Partial<Message>
    const command = call.event === 'MESSAGE' ? await typedCommand(db, about) : undefined
    const body: WebhookCall = {
      appID: call.app,
      clientID: call.client,
      roomID: call.room,
      event: webhookEvent.parse(call.event),
      botState: room.botState,
      ...(command && { command }),
      data: about,
    }
    const outcome = await callSigned(call.app, secrets, { url, id, body: JSON.stringify(body) })
    if (outcome.as !== 'done' || call.isAnswered) return outcome
    return { ...outcome, isAnswered: await applyResponse(parts, call, outcome.answer) }
  }

  return async (call) => {
    const { kind, event, request } = call
    const span = tracing.startSpan(`call ${kind} ${event}`, 'client', request)
    const outcome = await deliver(call)
    span.end({ 'parley.result': outcome.as }, 'reason' in outcome ? outcome.reason : undefined)
    log.debug({ call: call._id, kind, event, result: outcome.as, request }, 'call answered')
    return outcome
  }
}

async function dataOf(db: Db, call: OutgoingCallDoc): Promise<string> {
  if (call.isRequeued) return currentCallData(db, call)
  return hasWaited(call) ? waitedCallData(db, call) : (call.data ?? 'null')
}

/** Whether the call waited for a retry or for its turn. */
function hasWaited({ isRequeued, tries, createdAtMS }: OutgoingCallDoc): boolean {
  return isRequeued === true || tries > 0 || clock.now() - createdAtMS > waitedMS
}

/** Returns whether the response had an action that was applied. Forbidden and invalid ones are not retried. */
async function applyResponse({ chat, log }: DeliverCallParts, call: OutgoingCallDoc, text: string): Promise<boolean> {
  const json = asJson(text, webhookAnswer)
  const answer = webhookAnswer.safeParse(takeBody(webhookAnswer, json).value)
  const { app, room, request } = call
  if (!answer.success) {
    const isForUs = Object.keys(webhookAnswer.shape).some((name) => Object.hasOwn(Object(json), name))
    // Most servers return unrelated bodies.
    if (isForUs) log.warn({ err: answer.error, app, room, call: call._id, request }, 'response of a webhook refused')
    return false
  }
  try {
    return await answerWebhook(chat, { app, room, id: call._id, request }, answer.data)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    log.warn({ err: error, app, room, call: call._id, request }, 'response of a webhook refused')
    return false
  }
}
