import { type ToHost, type ToPage, version } from './protocol.ts'

/** `parleyChat.open()`: shows the chat page in an integrator's page (docs/reference/chat-page.md#embed). */
export interface EmbedOptions {
  element: Element
  token: (asked: { refused: boolean; last?: string | undefined }) => string | Promise<string>
  clientKey?: string
  room?: string
  rooms?: 'hide'
  theme?: string
  language?: string
  texts?: unknown
  title?: string
  onReady?: () => void
  onUnread?: (count: number) => void
  onRoom?: (room: string | undefined) => void
  /** Handles clicked links. Return false to open a link as usual. */
  onLink?: (url: string) => unknown
  onClosed?: () => void
}

const script = document.currentScript as HTMLScriptElement
const base = new URL('../chat', script.src)

function open(options: EmbedOptions) {
  const { element, token, title = 'Chat', onLink, onClosed, clientKey, room, rooms, theme, language } = options
  const frame = document.createElement('iframe')
  const url = new URL(base)
  const parameters = { host: location.origin, clientKey, room, rooms, theme, lang: language }
  for (const [name, value] of Object.entries(parameters)) if (value) url.searchParams.set(name, value)
  if (onLink) url.searchParams.set('links', 'host')
  if (onClosed) url.searchParams.set('close', 'show')
  frame.title = title
  frame.allow = 'clipboard-write; fullscreen'
  frame.style.cssText = 'border:0;display:block;width:100%;height:100%'
  frame.src = url.href
  /** The last token, and messages to repeat after a reload of the frame. */
  let last: string | undefined
  const set: Record<string, ToPage> = options.texts ? { texts: { type: 'texts', texts: options.texts } } : {}
  /** Whether the page in the frame listens, and whether it is logged in. */
  let hears = false
  let isReady = false

  const post = (message: ToPage) => {
    if (hears) frame.contentWindow?.postMessage({ parley: version, ...message }, url.origin)
  }
  const change = (message: ToPage) => {
    set[message.type] = message
    post(message)
  }
  const close = () => {
    removeEventListener('message', heard)
    frame.remove()
  }

  const end = () => {
    close()
    onClosed?.()
  }

  async function sendToken(refused: boolean): Promise<void> {
    hears = true
    for (const message of Object.values(set)) post(message)
    try {
      last = await token({ refused, last: refused ? last : undefined })
      post({ type: 'token', token: last })
    } catch (error) {
      post({ type: 'token' })
      throw error
    }
  }

  function heard({ source, origin, data }: MessageEvent): void {
    if (source !== frame.contentWindow || origin !== url.origin || data?.parley !== version) return
    const message = data as ToHost
    if (message.type === 'token') void sendToken(message.refused)
    else if (message.type === 'ready') {
      isReady = true
      delete set['room']
      options.onReady?.()
    } else if (message.type === 'unread') options.onUnread?.(message.count)
    else if (message.type === 'room') options.onRoom?.(message.room ?? undefined)
    else if (message.type === 'link') {
      if (onLink?.(message.url) === false) window.open(message.url, '_blank', 'noopener,noreferrer')
    } else if (message.type === 'closed') end()
  }

  addEventListener('message', heard)
  element.append(frame)
  return {
    frame,
    openRoom(room: string) {
      const message = { type: 'room', room } as const
      if (isReady) post(message)
      else change(message)
    },
    setTheme: (theme: string) => change({ type: 'theme', theme }),
    setLanguage: (language: string) => change({ type: 'language', language }),
    setTexts: (texts: unknown) => change({ type: 'texts', texts }),
    /** Logs out in the frame, which deletes drafts and files, then calls `onClosed`. */
    logOut: () => (hears ? post({ type: 'logOut' }) : end()),
    close,
  }
}

Object.assign(window, { parleyChat: { open } })
