import type { NotificationTarget } from './notification-target.ts'

/** The worker's texts, in the page's language. */
export interface WorkerTexts {
  reply: string
  markRead: string
  image: string
  file: string
  message: string
  readElsewhere: string
  notSent: string
}

/** The user whose notifications this browser shows, with what the worker needs while no page is open. */
export interface Subscriber {
  user: string
  /** Empty once the server has refused it: only a page can bring another. */
  token: string
  clientKey: string
  deviceID: string
  texts: WorkerTexts
}

/** A reply that could not be sent: the user's next page has it as a draft. */
export interface Unsent {
  user: string
  target: NotificationTarget
  text: string
}

const name = 'parley.push'
/** Cache key, not a real page. It is per deployment, since an origin can have several. */
const subscriberKey = (url: string): string => `${url}/chat/subscriber`
const unsentKey = (url: string): string => `${url}/chat/unsent`
const open = (): Promise<Cache> => caches.open(name)

/** Pages and the worker change the storage in turns: a logout must not come between a check and its write. */
const lockStorage = <T>(work: () => Promise<T>): Promise<T> => navigator.locks.request(name, work)

async function read<T>(key: string): Promise<T | undefined> {
  const found = await (await open()).match(key)
  return found && ((await found.json()) as T)
}

async function write(key: string, value: Subscriber | Unsent[]): Promise<void> {
  await (await open()).put(key, new Response(JSON.stringify(value)))
}

/**
 * Stores the subscriber in the origin's cache storage, which pages and the worker share.
 * @param url the base URL of Parley
 */
export function keepSubscriber(url: string, subscriber: Subscriber): Promise<void> {
  return lockStorage(() => write(subscriberKey(url), subscriber))
}

export function findSubscriber(url: string): Promise<Subscriber | undefined> {
  return read(subscriberKey(url))
}

/** Forgets a token that the server has refused, unless a page has brought a newer one. */
export function endToken(url: string, token: string): Promise<void> {
  return lockStorage(async () => {
    const now = await findSubscriber(url)
    if (now?.token === token) await write(subscriberKey(url), { ...now, token: '' })
  })
}

/** Forgets the replies that were not sent too. */
export function forgetSubscriber(url: string): Promise<void> {
  return lockStorage(async () => {
    const cache = await open()
    await Promise.all([subscriberKey(url), unsentKey(url)].map((one) => cache.delete(one)))
  })
}

/** Keeps a reply that was not sent, unless its user has logged out since. Returns whether it is kept. */
export function keepUnsent(url: string, unsent: Unsent): Promise<boolean> {
  return lockStorage(async () => {
    if ((await findSubscriber(url))?.user !== unsent.user) return false
    const all = (await read<Unsent[]>(unsentKey(url))) ?? []
    await write(unsentKey(url), [...all, unsent])
    return true
  })
}

/** The user's replies that were not sent, once. */
export function takeUnsent(url: string, user: string): Promise<Unsent[]> {
  return lockStorage(async () => {
    const all = (await read<Unsent[]>(unsentKey(url))) ?? []
    await (await open()).delete(unsentKey(url))
    return all.filter((one) => one.user === user)
  })
}
