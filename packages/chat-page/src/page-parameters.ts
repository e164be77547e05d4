type Theme = 'light' | 'dark' | 'auto'

export interface PageParameters {
  token: string | undefined
  clientKey: string | undefined
  /** The host page's origin, if it speaks the protocol. */
  host: string | undefined
  hasCloseButton: boolean
  /** Whether the host opens links. */
  givesLinks: boolean
  /** The room to open. */
  room: string | undefined
  /** `hide` shows a single conversation without the room list. */
  rooms: 'show' | 'hide'
  /** BCP 47 tag. */
  lang: string | undefined
  /** JSON with texts in the page's language (docs/reference/chat-page.md#texts). */
  texts: string | undefined
  theme: Theme
}

/** Key of the parameters that survive a reload of this tab or frame: frames of one tab share sessionStorage. */
const storageKey = (): string => `parley.chat.${window.name}`

/**
 * Takes the URL's parameters (docs/reference/chat-page.md) and those kept across a reload. embed/before.ts has removed
 * the token from the URL. The client key stays: on a reload, the gateway derives the allowed picture origins from it.
 */
export function takeParameters(): PageParameters {
  window.parleyRuns = true
  const given = window.parleyGiven ?? Object.fromEntries(new URLSearchParams(location.search))
  // With a host, the URL contains no secret and stays.
  const kept = 'token' in given || 'host' in given ? {} : readKept()
  const value = (name: string) => given[name] ?? kept[name]
  const taken: PageParameters = {
    token: value('token'),
    clientKey: value('clientKey'),
    host: window.parent === window ? undefined : given['host'],
    hasCloseButton: given['close'] === 'show',
    givesLinks: given['links'] === 'host',
    room: value('room') || undefined,
    rooms: value('rooms') === 'hide' ? 'hide' : 'show',
    lang: value('lang'),
    texts: value('texts'),
    theme: toTheme(value('theme')),
  }
  const { isReloaded: _, ...state } = (history.state ?? {}) as Record<string, unknown>
  history.replaceState(state, '')
  if ('host' in given) return taken
  keepParameters(taken)
  if (location.search !== '') showClientKey(taken.clientKey)
  return taken
}

/** Leaves only the client key in the URL. */
export function showClientKey(clientKey: string | undefined): void {
  const query = clientKey === undefined ? '' : `?${new URLSearchParams({ clientKey })}`
  if (location.search !== query) history.replaceState(history.state, '', location.pathname + query)
}

/** Keeps changed parameters for a reload. */
export function keepAlso(changed: Partial<PageParameters>): void {
  keepParameters({ ...readKept(), ...changed })
}

/** Keeps parameters for a reload. Without storage, a reload needs the token again. */
function keepParameters(parameters: Partial<PageParameters>): void {
  try {
    sessionStorage.setItem(storageKey(), JSON.stringify(parameters))
  } catch {
    // Private windows or blocked third-party storage: the page works without.
  }
}

function readKept(): Record<string, string | undefined> {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey()) ?? '{}') as Record<string, string>
  } catch {
    return {}
  }
}

export function toTheme(value: unknown): Theme {
  return value === 'light' || value === 'dark' ? value : 'auto'
}
