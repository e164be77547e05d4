import type { Place } from './place.ts'

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
  place: Place
  text: string
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

/** Forgets the replies that were not sent too. */
export async function forgetSubscriber(url: string): Promise<void> {
  const cache = await open()
  await Promise.all([place(url), placeOfUnsent(url)].map((one) => cache.delete(one)))
}

const placeOfUnsent = (url: string): string => `${url}/chat/unsent`

async function findUnsent(url: string): Promise<Unsent[]> {
  const found = await (await open()).match(placeOfUnsent(url))
  return found ? ((await found.json()) as Unsent[]) : []
}

export async function keepUnsent(url: string, unsent: Unsent): Promise<void> {
  const all = [...(await findUnsent(url)), unsent]
  await (await open()).put(placeOfUnsent(url), new Response(JSON.stringify(all)))
}

/** The user's replies that were not sent, once. */
export async function takeUnsent(url: string, user: string): Promise<Unsent[]> {
  const all = await findUnsent(url)
  await (await open()).delete(placeOfUnsent(url))
  return all.filter((one) => one.user === user)
}
