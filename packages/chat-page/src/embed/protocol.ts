/** Messages between the chat page and its host page (docs/reference/chat-page.md#protocol). */
export type ToHost =
  /** Requests a token; with `refused`, one other than the last. */
  | { type: 'token'; refused: boolean }
  /** The user is logged in and their rooms are known. */
  | { type: 'ready' }
  | { type: 'unread'; count: number }
  /** The open room; null for none. */
  | { type: 'room'; room: string | null }
  /** A click on a link that the host opens. */
  | { type: 'link'; url: string }
  /** The user closed the chat, or it has logged out. */
  | { type: 'closed' }

export type ToPage =
  /** Without a token if there is none now; the page asks again later. */
  | { type: 'token'; token?: string }
  | { type: 'room'; room: string }
  | { type: 'theme'; theme: string }
  | { type: 'language'; language: string }
  | { type: 'texts'; texts: unknown }
  /** The app's `chatPage` while it is edited; only from a host of the page's own origin, such as the console. */
  | { type: 'look'; look: unknown }
  | { type: 'logOut' }

/** Protocol version, a field of each message. */
export const version = 1
