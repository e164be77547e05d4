import { type Client, retryTransient } from '@parley/client'
import type { NotificationFacts } from '@parley/contracts/resources/push/decide-notification'

/** The app's `chatPage` configuration (docs/reference/chat-page.md). All fields are optional. */
export interface ChatConfig {
  name: string | undefined
  color: string | undefined
  logo: string | undefined
  /** Whether the app's `directory` lets users start chats. */
  mayStartChats: boolean
  /** Texts by language; `texts/spoken.ts` ignores unknown ones. */
  texts: unknown
  /** Whether texts are shown without Markdown formatting. */
  literalText: boolean
  /** Whether messages show a card for their first link. */
  linkCards: boolean
  /** The app's default notification levels. */
  levels: NotificationFacts['app']['levels']
}

/** Used until the app's configuration is known. */
export const plainConfig: ChatConfig = {
  name: undefined,
  color: undefined,
  logo: undefined,
  mayStartChats: false,
  texts: undefined,
  literalText: true,
  linkCards: false,
  levels: {},
}

/** Reads the configuration. Retries transient errors with backoff while `isWanted`; after others, uses the defaults. */
export async function readChatConfig({ api }: Pick<Client, 'api'>, isWanted = () => true): Promise<ChatConfig> {
  let read = plainConfig
  const load = async () => {
    const config: Record<string, unknown> = await api.getConfig()
    const levels = fieldsOf(fieldsOf(config['notifications'])['levels'])
    read = { ...toChatConfig(config['chatPage'], config['directory']), levels }
  }
  await retryTransient(load, isWanted).catch(() => undefined)
  return read
}

/** Drops undocumented values: a page without a logo is better than no page. */
export function toChatConfig(value: unknown, directory?: unknown): Omit<ChatConfig, 'levels'> {
  const { name, color, logo, texts, literalText, linkCards } = fieldsOf(value)
  return {
    name: typeof name === 'string' && name !== '' ? name.slice(0, 60) : undefined,
    color: typeof color === 'string' && /^#[\da-f]{6}$/i.test(color) ? color : undefined,
    logo: typeof logo === 'string' && /^(https?:\/\/|\/|data:image\/)/.test(logo) ? logo : undefined,
    mayStartChats: (directory ?? 'off') !== 'off',
    texts,
    literalText: literalText === true,
    linkCards: linkCards === true,
  }
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** The configuration with the `chatPage` that is being edited, if one is. */
export function withLook(stored: ChatConfig, edited: unknown): ChatConfig {
  return edited === undefined ? stored : { ...stored, ...toChatConfig(edited), mayStartChats: stored.mayStartChats }
}

/** Black or white, whichever contrasts more with the colour (WCAG 2, relative luminance). */
export function textOn(color: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return luminance > 0.179 ? '#000000' : '#ffffff'
}
