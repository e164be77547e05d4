/** The browser APIs that tabs share, which only DOM's types declare. */
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

/** Undefined if the browser lacks one of the APIs, the page has no https, or cookies (and so channels) are blocked. */
export function currentBrowser(): Browser | undefined {
  try {
    const { navigator, BroadcastChannel, crypto, isSecureContext } = globalThis as object as Scope
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

/** Whether the user sees this tab. */
export interface Look {
  isVisible: boolean
  /** Visible and focused. */
  isLookedAt: boolean
}

export function lookNow(): Look {
  const { document } = globalThis as Page
  const isVisible = document?.visibilityState !== 'hidden'
  return { isVisible, isLookedAt: isVisible && document?.hasFocus?.() === true }
}

const changes = ['focus', 'blur', 'pageshow']

/** Calls the listener when `lookNow()` may have changed. Returns an unsubscribe function. */
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
