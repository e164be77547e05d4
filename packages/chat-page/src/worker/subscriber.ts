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
  token: string
  clientKey: string
  deviceID: string
  texts: WorkerTexts
}

const name = 'parley.push'
/** Cache key, not a real page. It is per deployment, since an origin can have several. */
const place = (url: string): string => `${url}/chat/subscriber`
const open = (): Promise<Cache> => caches.open(name)

/**
 * Stores the subscriber in the origin's cache storage, which pages and the worker share.
 * @param url the base URL of Parley
 */
export async function keepSubscriber(url: string, subscriber: Subscriber): Promise<void> {
  await (await open()).put(place(url), new Response(JSON.stringify(subscriber)))
}

export async function findSubscriber(url: string): Promise<Subscriber | undefined> {
  const found = await (await open()).match(place(url))
  return found && ((await found.json()) as Subscriber)
}

export async function forgetSubscriber(url: string): Promise<void> {
  await (await open()).delete(place(url))
}
