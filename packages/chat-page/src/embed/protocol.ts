/** Messages between the chat page and the page around it (docs/reference/chat-page.md#protocol). */
export type ToHost =
  /** The host answers with a token; with `refused` another one than the last. */
  | { type: 'token'; refused: boolean }
  /** The user is logged in, and their rooms are known. */
  | { type: 'ready' }
  | { type: 'unread'; count: number }
  /** The open room; null: none. */
  | { type: 'room'; room: string | null }
  /** A link was clicked that the host opens. */
  | { type: 'link'; url: string }
  /** The user closed the page, or it has logged out. */
  | { type: 'closed' }

export type ToPage =
  /** Without a token: there is none now, and the page asks again later. */
  | { type: 'token'; token?: string }
  | { type: 'room'; room: string }
  | { type: 'theme'; theme: string }
  | { type: 'language'; language: string }
  | { type: 'texts'; texts: unknown }
  | { type: 'logOut' }

/** The version of the protocol, as a field of each message. */
export const version = 1
