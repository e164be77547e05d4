import type { PushDoc } from '@parley/db/push/documents'
import type { ContentText, PushContent } from './network.ts'

export type ShownText =
  | { locKey: string; locArgs: readonly string[] }
  | ({ title: string; body: string } & Pick<ContentText, 'sound' | 'category' | 'image'>)

/**
 * The app's text in the device's language (RFC 4647, 3.4: `zh-Hant-TW`, then `zh-Hant`, then `zh`) or for any language,
 * else a key that the app localizes.
 */
export function shownText(
  { mentioned, language }: Pick<PushDoc, 'mentioned' | 'language'>,
  { locKey, mentionedLocKey, locArgs, texts = {} }: PushContent & { of: 'message' },
): ShownText {
  const text = textIn(texts, language?.toLowerCase() ?? '')
  if (!text) return { locKey: mentioned ? mentionedLocKey : locKey, locArgs }
  const { title, body, mentioned: bodyIfMentioned = body, ...others } = text
  return { title: filled(title, locArgs), body: filled(mentioned ? bodyIfMentioned : body, locArgs), ...others }
}

function textIn(texts: Record<string, ContentText>, language: string): ContentText | undefined {
  for (let tag = language; tag !== ''; tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-')))) {
    if (Object.hasOwn(texts, tag)) return texts[tag]
  }
  return texts['']
}

const order = ['sender', 'room', 'text']

function filled(template: string, args: readonly string[]): string {
  return template.replaceAll(/\{(sender|room|text)\}/g, (_all, name: string) => args[order.indexOf(name)] ?? '')
}

/** An argument of a loc-key, for networks that accept only strings. */
export function argumentText(argument: unknown): string {
  return typeof argument === 'string' ? argument : JSON.stringify(argument)
}
