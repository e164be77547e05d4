import { readJson } from '@parley/contracts/free-json'
import { type Message, type Quote, quoteLength, type SentMessage } from '@parley/contracts/resources/message'
import type { Sender } from '@parley/contracts/resources/sender'
import type { MessageDoc } from '@parley/db/messages/documents'
import { lengthOf, type Thread } from '@parley/db/threads/thread'
import type { UserDoc } from '@parley/db/users/documents'
import { textOf, truncate } from '../messages/reading/message-text.ts'
import type { Quoted } from '../messages/reading/quoted-messages.ts'
import { withField } from './json-text.ts'

/** The summary of a user in messages and rooms. An erased user keeps the ID and loses the profile. */
export function toSenderView(id: string, user: UserDoc | undefined): Sender {
  return {
    _id: id,
    id,
    nickname: user?.nickname ?? '',
    description: user?.description ?? '',
    avatarUrl: user?.avatarUrl ?? '',
    isRobot: user?.isRobot ?? false,
    lastLoginTimeMS: user?.lastLoginTimeMS ?? 0,
  }
}

/** A message in the history and in events (docs/reference/resources.md#message). @param quoted has the quoted one */
export function toMessageView(doc: MessageDoc, user: UserDoc | undefined, quoted: Quoted): Message {
  return { ...common(doc, quoted), sender: toSenderView(doc.sender, user) }
}

/** Like toMessageView, but as JSON text with the content as stored. */
export function messageJson(doc: MessageDoc, user: UserDoc | undefined, quoted: Quoted): string {
  const shown = { ...withoutContent(doc, quoted), sender: toSenderView(doc.sender, user) }
  return doc.content === undefined ? JSON.stringify(shown) : withField(shown, 'message', doc.content)
}

/** A message as returned by a send: the sender is the plain user ID. */
export function toSentMessageView(doc: MessageDoc, quoted: Quoted): SentMessage {
  return { ...common(doc, quoted), sender: doc.sender }
}

/** Like toSentMessageView, but as JSON text. */
export function sentMessageJson(doc: MessageDoc, quoted: Quoted): string {
  const shown = { ...withoutContent(doc, quoted), sender: doc.sender }
  return doc.content === undefined ? JSON.stringify(shown) : withField(shown, 'message', doc.content)
}

function common(doc: MessageDoc, quoted: Quoted): Omit<SentMessage, 'sender'> {
  const { content } = doc
  return { ...withoutContent(doc, quoted), ...(content !== undefined && { message: readJson(content) }) }
}

function withoutContent(doc: MessageDoc, quoted: Quoted): Omit<SentMessage, 'sender' | 'message'> {
  const reactions = doc.reactions ?? []
  const parent = quoted.get(doc.replyTo ?? '')
  const { expiresAtMS = doc.heldExpiryMS } = doc
  return {
    _id: doc._id,
    id: doc._id,
    room: doc.room,
    messageType: doc.messageType,
    appID: doc.app,
    messageTime: new Date(doc.createdAtMS).toISOString(),
    messageTimeMS: doc.createdAtMS,
    updatedAtMS: doc.updatedAtMS,
    createdAtMS: doc.createdAtMS,
    reactions,
    reactionCount: reactions.length,
    isDeleted: doc.isDeleted ?? false,
    seq: doc.seq,
    ...(doc.mentions && { mentions: doc.mentions }),
    ...(doc.attachments && !doc.isDeleted && !doc.recalled && { attachments: doc.attachments }),
    ...(doc.system && { system: true }),
    ...(doc.pinned && { pinned: true }),
    ...(doc.edited && { edited: true }),
    ...(doc.streaming && { streaming: true }),
    ...(expiresAtMS !== undefined && { expiresAtMS }),
    ...(doc.clientMessageID !== undefined && { clientMessageID: doc.clientMessageID }),
    ...(parent && { replyTo: toQuote(parent) }),
    ...(doc.threadOf !== undefined && { threadOf: doc.threadOf }),
    ...(doc.thread && threadFields(doc.thread, quoted)),
  }
}

function threadFields(thread: Thread, quoted: Quoted) {
  const { lastMessageID, users } = thread
  const last = quoted.get(lastMessageID)
  return {
    threadCount: lengthOf(thread),
    threadLatestSeq: thread.seq,
    threadParticipants: users,
    ...(last && { lastThreadMessage: toQuote(last) }),
  }
}

/** A message as a one-line quote. */
export function toQuote({ _id, sender, messageType, content, isDeleted }: MessageDoc): Quote {
  const text = content === undefined ? '' : truncate(textOf(JSON.parse(content)), quoteLength)
  return { _id, sender, messageType, text, isDeleted: isDeleted ?? false }
}
