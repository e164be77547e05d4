/** Parts of a browser for pages of one origin: only DOM's types have these. */
interface Locks {
  request(name: string, options: LockOptions, work: () => Promise<void>): Promise<void>
}

interface LockOptions {
  signal?: AbortSignal
  steal?: boolean
}

export interface Channel {
  postMessage(message: unknown): void
  close(): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
}

export interface Browser {
  locks: Locks
  openChannel: (name: string) => Channel
}

interface Scope {
  navigator?: { locks?: Locks }
  // biome-ignore lint/style/useNamingConvention: the browser's name
  BroadcastChannel?: new (
    name: string,
  ) => Channel
  crypto?: { subtle?: object }
  isSecureContext?: boolean
}

/** Undefined where a browser lacks one of them, a page has no https, or cookies and so channels are forbidden. */
export function browserOf(scope: object = globalThis): Browser | undefined {
  try {
    const { navigator, BroadcastChannel, crypto, isSecureContext } = scope as Scope
    const locks = navigator?.locks
    if (!(isSecureContext && locks && BroadcastChannel && crypto?.subtle)) return undefined
    new BroadcastChannel('parley.tabs').close()
    return { locks, openChannel: (name) => new BroadcastChannel(name) }
  } catch {
    return undefined
  }
}

interface Target {
  addEventListener?: (type: string, listener: () => void) => void
  removeEventListener?: (type: string, listener: () => void) => void
}

interface Page extends Target {
  document?: Target & { visibilityState?: string; hasFocus?: () => boolean }
}

/** How the user sees this tab. */
export interface Look {
  isVisible: boolean
  /** Visible, and it has the focus. */
  isLookedAt: boolean
}

export function lookNow(): Look {
  const { document } = globalThis as Page
  const isVisible = document?.visibilityState !== 'hidden'
  return { isVisible, isLookedAt: isVisible && document?.hasFocus?.() === true }
}

const changes = ['focus', 'blur', 'pageshow']

/** Calls the listener when that may have changed. Returns a function that ends it. */
export function onLook(listener: () => void): () => void {
  const page = globalThis as Page
  const { document } = page
  document?.addEventListener?.('visibilitychange', listener)
  for (const type of changes) page.addEventListener?.(type, listener)
  return () => {
    document?.removeEventListener?.('visibilitychange', listener)
    for (const type of changes) page.removeEventListener?.(type, listener)
  }
}
