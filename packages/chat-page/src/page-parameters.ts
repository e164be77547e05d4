type Theme = 'light' | 'dark' | 'auto'

export interface PageParameters {
  token: string | undefined
  clientKey: string | undefined
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
const storageKey = (): string => `parley.chat.${frameName()}`

/**
 * Takes the parameters of the page's address (docs/reference/chat-page.md), and those that it kept before a reload. The
 * token is a secret: it leaves the address bar and the history at once. The client key stays: by it the gateway knows at a
 * reload which pictures the page may show.
 */
export function takeParameters(): PageParameters {
  const given = new URLSearchParams(location.search)
  const kept = given.has('token') ? {} : readKept()
  const value = (name: string) => given.get(name) ?? kept[name]
  const taken: PageParameters = {
    token: value('token'),
    clientKey: value('clientKey'),
    room: value('room') || undefined,
    rooms: value('rooms') === 'hide' ? 'hide' : 'show',
    lang: value('lang'),
    texts: value('texts'),
    theme: toTheme(value('theme')),
  }
  keepParameters(taken)
  if (location.search !== '') showClientKey(taken.clientKey, given.has('token') ? null : history.state)
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

/** A frame's name stays over its reload. */
function frameName(): string {
  if (window.parent !== window && window.name === '') window.name = `parley-${Math.random().toString(36).slice(2)}`
  return window.name
}

function toTheme(value: string | undefined): Theme {
  return value === 'light' || value === 'dark' ? value : 'auto'
}
