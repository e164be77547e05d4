type Theme = 'light' | 'dark' | 'auto'

export interface PageParameters {
  token: string | undefined
  clientKey: string | undefined
  /** The origin of the page around, where that speaks the protocol. */
  host: string | undefined
  hasCloseButton: boolean
  /** Whether the host opens links. */
  givesLinks: boolean
  /** The room to open. */
  room: string | undefined
  /** Whether the list of rooms is there, or one conversation alone. */
  rooms: 'show' | 'hide'
  /** BCP 47 tag. */
  lang: string | undefined
  /** JSON: texts of the page in its language (docs/reference/chat-page.md#texts). */
  texts: string | undefined
  theme: Theme
}

/** Parameters that survive a reload of this tab, or of this frame: frames of one tab share sessionStorage. */
const storageKey = (): string => `parley.chat.${window.name}`

/**
 * Takes the parameters of the page's address (docs/reference/chat-page.md), and those that it kept before a reload. The
 * token has left the address by then (embed/before.ts). The client key stays: by it the gateway knows at a reload which
 * pictures the page may show.
 */
export function takeParameters(): PageParameters {
  window.parleyRuns = true
  const given = window.parleyGiven ?? Object.fromEntries(new URLSearchParams(location.search))
  // With a host the address has no secret, and stays.
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

/** Puts the client key alone into the address. */
export function showClientKey(clientKey: string | undefined, state: unknown = history.state): void {
  const query = clientKey === undefined ? '' : `?${new URLSearchParams({ clientKey })}`
  if (location.search !== query) history.replaceState(state, '', location.pathname + query)
}

/** Stores changed parameters for a reload. */
export function keepAlso(changed: Partial<PageParameters>): void {
  keepParameters({ ...readKept(), ...changed })
}

/** Keeps them for a reload. A browser that forbids it asks for the token again. */
function keepParameters(parameters: Partial<PageParameters>): void {
  try {
    sessionStorage.setItem(storageKey(), JSON.stringify(parameters))
  } catch {
    // Private windows and blocked third-party storage: the page works without.
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
