import type { Client } from '@parley/client'

/** `chatPage` of the app's configuration (docs/reference/chat-page.md): all of it is optional. */
export interface ChatConfig {
  name: string | undefined
  color: string | undefined
  logo: string | undefined
  /** Whether the app's `directory` lets users start chats. */
  mayStartChats: boolean
  /** By language; `texts/spoken.ts` takes the known ones. */
  texts: unknown
  /** Texts are shown as they were written, without Markdown. */
  literalText: boolean
  /** Messages show a card of their first link. */
  linkCards: boolean
}

/** Until the app's is known. */
export const plainConfig: ChatConfig = {
  name: undefined,
  color: undefined,
  logo: undefined,
  mayStartChats: false,
  texts: undefined,
  literalText: true,
  linkCards: false,
}

/** Reads it once after the login; an app without one gets the page as it is. */
export async function readChatConfig(client: Client): Promise<ChatConfig> {
  const config: Record<string, unknown> = await client.api.getConfig().catch(() => ({}))
  return toChatConfig(config['chatPage'], config['directory'])
}

/** Undocumented values are dropped: a page without a logo is better than none. */
export function toChatConfig(value: unknown, directory?: unknown): ChatConfig {
  const { name, color, logo, texts, literalText, linkCards } = (
    typeof value === 'object' && value !== null ? value : {}
  ) as Record<string, unknown>
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

/** Black or white, whichever reads better on the colour (WCAG 2, relative luminance). */
export function textOn(color: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return luminance > 0.179 ? '#000000' : '#ffffff'
}
