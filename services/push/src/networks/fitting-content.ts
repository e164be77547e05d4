import { truncate } from '@parley/chat/messages/reading/message-text'
import type { PushPayload } from '@parley/contracts/resources/push/payload'
import type { PushContent } from './network.ts'

type MessageContent = PushContent & { of: 'message' }
/**
 * Makes a notification from a message's content, and shortens it until its JSON fits: first the arguments of its text,
 * then it goes without picture, without the app's own text, and last without the type, which may need six bytes per
 * character.
 */
export function fittedMessage<T>(content: MessageContent, maxBytes: number, build: (content: MessageContent) => T): T {
  return firstFitting(messageAttempts(content, build), maxBytes)
}

function* messageAttempts<T>(content: MessageContent, build: (content: MessageContent) => T): Generator<T, void> {
  for (const less of fewerFields(content)) {
    yield* shortenings(less.locArgs, (args) => build({ ...less, locArgs: [...args] }))
  }
}

function* fewerFields(content: MessageContent): Generator<MessageContent, void> {
  yield content
  const { texts = {}, ...localised } = content
  const plain = Object.entries(texts).map(([language, { image: _image, ...text }]) => [language, text] as const)
  yield { ...content, texts: Object.fromEntries(plain) }
  yield localised
  yield { ...localised, messageType: '' }
}

/** The same for a push of push2clients: first its texts are shortened, then it goes without icon, sound and type. */
export function fittedPayload<T>(
  { payload }: Pick<PushContent & { of: 'clients' }, 'payload'>,
  maxBytes: number,
  build: (payload: PushPayload) => T,
): T {
  return firstFitting(payloadAttempts(payload, maxBytes, build), maxBytes)
}

function* payloadAttempts<T>(
  payload: PushPayload,
  maxBytes: number,
  build: (payload: PushPayload) => T,
): Generator<T, void> {
  const { icon: _icon, ...noIcon } = payload
  const { sound: _sound, type: _type, topic: _topic, ...rest } = noIcon
  for (const less of [payload, noIcon, rest]) {
    yield build(less)
    const cutTo = (max: number) => build(withTexts(less, (text) => truncate(text, max)))
    const bare = cutTo(0)
    // Without any text, a large alert of numbers still does not fit, so no length is tried.
    if (fits(bare, maxBytes)) {
      for (let max = longestText; max > 0; max = Math.floor(max * 0.75)) yield cutTo(max)
    }
    yield bare
  }
}

/** No text that fits is longer. */
const longestText = 4_096

function withTexts({ title, body, alert, ...rest }: PushPayload, change: (text: string) => string): PushPayload {
  const { 'loc-args': args, ...localised } = typeof alert === 'object' ? alert : {}
  const changed = (value: unknown) => (typeof value === 'string' ? change(value) : value)
  return {
    ...rest,
    ...(title !== undefined && { title: change(title) }),
    ...(body !== undefined && { body: change(body) }),
    ...(typeof alert === 'string' && { alert: change(alert) }),
    ...(typeof alert === 'object' && {
      alert: {
        ...Object.fromEntries(
          Object.entries(localised).map(([name, value]) => [name, name.endsWith('-key') ? value : changed(value)]),
        ),
        ...(args !== undefined && { 'loc-args': args.map(changed) }),
      },
    }),
  }
}

/** Initial length of a shortened argument, in characters. */
const maxCharacters = 200

/** Makes a notification, shortening its arguments until the JSON fits: pushes are never refused for their size. */
export function shortened<T>(args: readonly string[], maxBytes: number, build: (args: readonly string[]) => T): T {
  return firstFitting(shortenings(args, build), maxBytes)
}

/** Notifications of the arguments, then of ever shorter ones. */
function* shortenings<T>(args: readonly string[], build: (args: readonly string[]) => T): Generator<T, void> {
  yield build(args)
  for (let max = maxCharacters; max > 0; ) {
    max = Math.floor(max * 0.8)
    yield build(args.map((arg) => truncate(arg, max)))
  }
}

/** The first of these whose JSON fits, or else the last. Later ones are not made. @throws if there are none */
function firstFitting<T>(attempts: Generator<T, void>, maxBytes: number): T {
  let last: T | undefined
  for (const notification of attempts) {
    if (fits(notification, maxBytes)) return notification
    last = notification
  }
  if (last === undefined) throw new Error('nothing to send')
  return last
}

export function fits(notification: unknown, maxBytes: number): boolean {
  return Buffer.byteLength(JSON.stringify(notification)) <= maxBytes
}
