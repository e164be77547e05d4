import { answerWebhook } from '@parley/chat/answer-webhook'
import type { Chat } from '@parley/chat/chat'
import { ApiError } from '@parley/contracts/errors'
import { type WebhookCall, webhookAnswer, webhookEvent } from '@parley/contracts/resources/webhook'
import { findApp } from '@parley/db/apps'
import type { OutgoingCallDoc } from '@parley/db/outgoing-calls'
import { findRoom } from '@parley/db/rooms'
import type { Logger } from '@parley/service/log'
import type { Tracing } from '@parley/service/trace'
import { LRUCache } from 'lru-cache'
import type { Dispatcher } from 'undici'
import { type CallOutcome, callOnce } from './outgoing-call.ts'
import { asJson } from './read-payload.ts'

export interface DeliverCallParts {
  chat: Chat
  dispatcher: Dispatcher
  timeoutMS: number
  /** PUSH_GENERIC. */
  generic: string | undefined
  log: Logger
  tracing: Tracing
}

/** Makes one try of a call, with the room's webhook and bot state of this moment, and carries out what it answers. */
export function createCallDelivery(parts: DeliverCallParts): (call: OutgoingCallDoc) => Promise<CallOutcome> {
  const { chat, dispatcher, timeoutMS, generic, tracing, log } = parts
  const secrets = new LRUCache<string, string>({ max: 1_000, ttl: 60_000 })

  async function secretOf(app: string): Promise<string | undefined> {
    const secret = secrets.get(app) ?? (await findApp(chat.db, app))?.webhookSecret
    if (secret !== undefined) secrets.set(app, secret)
    return secret
  }

  async function deliver(call: OutgoingCallDoc): Promise<CallOutcome> {
    const secret = await secretOf(call.app)
    if (secret === undefined) return { as: 'refused', reason: 'no such app' }
    const { _id: id, data = 'null' } = call
    if (call.kind === 'push') {
      if (generic === undefined) return { as: 'refused', reason: 'PUSH_GENERIC is not set' }
      return callOnce(dispatcher, timeoutMS, { url: generic, id, secret, body: data })
    }
    const room = await findRoom(chat.db, call.app, call.room)
    if (!room || !URL.canParse(room.webhook)) return { as: 'refused', reason: 'the room has no webhook any more' }
    const said: WebhookCall = {
      appID: call.app,
      clientID: call.client,
      roomID: call.room,
      event: webhookEvent.parse(call.event),
      botState: room.botState,
      data: JSON.parse(data),
    }
    const outcome = await callOnce(dispatcher, timeoutMS, { url: room.webhook, id, secret, body: JSON.stringify(said) })
    if (outcome.as === 'done') await carryOut(parts, call, outcome.answer)
    return outcome
  }

  return async (call) => {
    const { kind, event, request } = call
    const step = tracing.step(`call ${kind} ${event}`, 'client', request)
    const outcome = await deliver(call)
    step.end({ 'parley.result': outcome.as }, 'reason' in outcome ? outcome.reason : undefined)
    log.debug({ call: call._id, kind, event, result: outcome.as, request }, 'call answered')
    return outcome
  }
}

/** An answer that is none, or that may not be carried out, is the integrator's fault and not tried again. */
async function carryOut({ chat, log }: DeliverCallParts, call: OutgoingCallDoc, text: string): Promise<void> {
  const answer = webhookAnswer.safeParse(asJson(text))
  if (!answer.success) return
  const { app, room, request } = call
  try {
    await answerWebhook(chat, { app, room, id: call._id, request }, answer.data)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    log.warn({ err: error, app, room, call: call._id, request }, 'the answer of a webhook was refused')
  }
}
