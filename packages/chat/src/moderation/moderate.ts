import { ApiError } from '@parley/contracts/errors'
import { isObject, readJson } from '@parley/contracts/free-json'
import type { ModerationCall, ModerationHook } from '@parley/contracts/resources/moderation-hook'
import type { Chat } from '../chat.ts'
import type { AppHook } from '../integrations/app-hooks.ts'
import { contentOf } from '../messages/draft.ts'
import { truncate } from '../messages/reading/message-text.ts'
import type { Refusal } from '../send/decide.ts'
import { expectedResult } from '../send/decide.ts'
import type { Draft } from '../send/new-message.ts'

/** Maximum length of the refusal reason that the sender gets. */
const maxChars = 500

/**
 * Calls the app's hook for a message that a user is about to send (docs/reference/moderation.md#the-hook-moderate),
 * unless it would be refused anyway or repeats an earlier send with the same key.
 * @returns the draft to send, or the reason to refuse it
 * @throws ApiError MESSAGE_REFUSED, SERVICE_UNAVAILABLE
 */
export async function moderateSend(chat: Chat, draft: Draft, inThread: boolean): Promise<Draft | Refusal> {
  const hook = await chat.moderation.hookOf(draft.app)
  if (!hook) return draft
  const expected = await expectedResult(chat, draft)
  if (!expected || 'refused' in expected) return expected ?? draft
  if (expected.repeated) return draft
  const { app, room, sender, messageType, mentions, attachments, replyTo } = draft
  const content = await moderate(chat, hook, draft.content, {
    ...{ appID: app, clientID: sender, roomID: room, event: 'MESSAGE' },
    data: {
      ...{ message: readJson(draft.content), messageType, mentions, attachments, replyTo },
      ...(inThread && { thread: true }),
    },
  })
  return { ...draft, content }
}

/**
 * Calls a hook for a content.
 * @returns the content to store
 * @throws ApiError MESSAGE_REFUSED, SERVICE_UNAVAILABLE
 */
export async function moderate(
  chat: Chat,
  hook: AppHook<ModerationHook>,
  content: string,
  question: ModerationCall,
): Promise<string> {
  const answer = await chat.moderation.ask(hook, question)
  switch (answer.action) {
    case 'allow':
      return content
    case 'mask':
      return contentOf(withText(readJson(content), answer.text))
    case 'refuse':
      throw new ApiError('MESSAGE_REFUSED', answer.text === undefined ? undefined : truncate(answer.text, maxChars))
    default:
      if (hook.value.unanswered === 'allow') return content
      throw new ApiError('SERVICE_UNAVAILABLE', 'the moderation hook of the app did not answer; try again')
  }
}

/** Like `moderate`, for a plain text. */
export async function moderateText(
  chat: Chat,
  hook: AppHook<ModerationHook>,
  text: string,
  question: ModerationCall,
): Promise<string> {
  return JSON.parse(await moderate(chat, hook, JSON.stringify(text), question)) as string
}

/** Fields shown as the text of a content. The first one present is used. */
const textFields = ['text', 'caption', 'title']

/**
 * Replaces the text of a content: the text takes the place of all text fields, or of a content that is not an object.
 */
function withText(content: unknown, text: string): unknown {
  if (!isObject(content)) return text
  const [shown = 'text', ...others] = textFields.filter((name) => Object.hasOwn(content, name))
  const rest = Object.entries(content).filter(([name]) => !others.includes(name))
  return { ...Object.fromEntries(rest), [shown]: text }
}
