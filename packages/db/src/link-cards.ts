import { clock } from '@parley/async/clock'
import type { IndexDescription } from 'mongodb'
import type { Db } from './db.ts'
import type { LinkCard, LinkCardDoc } from './documents.ts'
import { key } from './keys.ts'

export const linkCardIndexes: IndexDescription[] = [{ key: { fetchedAt: 1 }, expireAfterSeconds: 30 * 24 * 60 * 60 }]

/** The card of a link; undefined if its page has no card, or was not fetched yet. */
export async function findLinkCard(db: Db, app: string, digest: string): Promise<LinkCard | undefined> {
  return (await db.linkCards.findOne({ _id: key(app, digest) }))?.card
}

/** Whether the page was fetched since a time, successfully or not. */
export async function isLinkCardFresh(db: Db, app: string, digest: string, sinceMS: number): Promise<boolean> {
  const fetchedAt = { $gte: new Date(sinceMS) }
  return (await db.linkCards.findOne({ _id: key(app, digest), fetchedAt }, { projection: { _id: 1 } })) !== null
}

/** @param card undefined if the page has none or could not be fetched */
export async function saveLinkCard(db: Db, app: string, digest: string, card: LinkCard | undefined): Promise<void> {
  const doc: Omit<LinkCardDoc, '_id'> = { fetchedAt: clock.date(), ...(card && { card }) }
  await db.linkCards.replaceOne({ _id: key(app, digest) }, doc, { upsert: true })
}
