import type { Message } from '@parley/client'

const systemEvents = ['joinRoom', 'addMembers', 'leaveRoom', 'deleteMember'] as const
type SystemEvent = (typeof systemEvents)[number]

/** The content to show for a message, whatever its type and form. */
export type Content =
  | { kind: 'text'; text: string }
  | { kind: 'image'; url: string; text: string }
  | { kind: 'file'; url: string; name: string; text: string }
  | { kind: 'system'; event: SystemEvent; members: string[]; count: number }
  | { kind: 'recalled' }
  /** An unknown type without text. */
  | { kind: 'unsupported' }

/** Only the server sets `system`; any user can send any type. */
export const isSystem = ({ system }: Pick<Message, 'system'>): boolean => system === true

export function contentOf({
  message,
  messageType,
  system,
}: Pick<Message, 'message' | 'messageType' | 'system'>): Content {
  if (messageType === 'recall' && message === undefined) return { kind: 'recalled' }
  const fields = (typeof message === 'object' && message !== null ? message : {}) as Record<string, unknown>
  const event = system ? systemEvents.find((one) => one === messageType) : undefined
  if (event) {
    const members = Array.isArray(fields['members']) ? fields['members'].map(String) : []
    return { kind: 'system', event, members, count: Number(fields['memberCount']) || 0 }
  }
  const text = typeof message === 'string' ? message : textIn(fields)
  const url = safeUrl(fields['url'] ?? (isPicture(messageType) ? message : undefined))
  if (url !== undefined) {
    const caption = text === message ? '' : text
    if (isPicture(messageType) || /\.(png|jpe?g|gif|webp|avif)$/i.test(new URL(url).pathname)) {
      return { kind: 'image', url, text: caption }
    }
    return { kind: 'file', url, name: fileName(fields, url), text: caption }
  }
  const isKnown = text !== '' || message === undefined || message === ''
  return isKnown ? { kind: 'text', text } : { kind: 'unsupported' }
}

/** Accepts only http and https URLs, not javascript:, data: and the like. */
export function safeUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^https?:\/\//i.test(value)) return undefined
  return URL.canParse(value) ? new URL(value).href : undefined
}

const isPicture = (messageType: string): boolean => /^(image|picture|photo)$/i.test(messageType)

function textIn(fields: Record<string, unknown>): string {
  const text = fields['text'] ?? fields['caption'] ?? fields['title'] ?? fields['fallback']
  return typeof text === 'string' ? text : ''
}

function fileName(fields: Record<string, unknown>, url: string): string {
  const name = fields['name'] ?? fields['fileName'] ?? fields['filename']
  if (typeof name === 'string' && name !== '') return name
  return decoded(new URL(url).pathname.split('/').at(-1) ?? '') || new URL(url).host
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
