import type { Db } from '@parley/db/connect'
import type { FileDoc } from '@parley/db/files/documents'
import { appWithPicture, takePicture } from '@parley/db/files/waiting-pictures'
import { LRUCache } from 'lru-cache'

const rememberedApps = 10_000

/** Takes the next picture that waits for its thumbnail: apps in turn, and inside an app its users in turn. */
export function createPictureTurns(db: Db): (nowMS: number) => Promise<FileDoc | null> {
  let lastApp = ''
  const lastOwners = new LRUCache<string, string>({ max: rememberedApps })
  return async (nowMS) => {
    const app = (await appWithPicture(db, nowMS, lastApp)) ?? (await appWithPicture(db, nowMS, ''))
    if (app === undefined) return null
    lastApp = app
    const lastOwner = lastOwners.get(app)
    const next = lastOwner === undefined ? null : await takePicture(db, nowMS, app, lastOwner)
    const picture = next ?? (await takePicture(db, nowMS, app))
    // The integrator's own have no owner, and stand before all others.
    if (picture) lastOwners.set(app, picture.ownerKey ?? '')
    return picture
  }
}
