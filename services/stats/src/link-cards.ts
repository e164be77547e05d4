import { batched } from '@parley/async/batch'
import { clock } from '@parley/async/clock'
import { readConfigValue } from '@parley/chat/integrations/config-values'
import { limitPerApp } from '@parley/chat/limit-per-app'
import { digestOfLink } from '@parley/chat/messages/reading/first-link'
import { ApiError } from '@parley/contracts/errors'
import { chatPageConfig, chatPageKey } from '@parley/contracts/resources/chat-page-config'
import type { Db } from '@parley/db/connect'
import type { LinkCard } from '@parley/db/documents'
import { isLinkCardFresh, saveLinkCard } from '@parley/db/link-cards'
import type { Logger } from '@parley/service/log'

const freshMS = 24 * 60 * 60 * 1_000
const atOnce = { perUser: 4, perApp: 4, waitingPerUser: 0, inAll: 16, waiting: 100, waitMS: 60_000 }

/**
 * Creates cards for apps that enable them. A failed card is retried after a day, by the next message with its link. Links of
 * an app that sends too many wait up to a minute and are then dropped.
 */
export function createLinkCards(
  db: Db,
  log: Pick<Logger, 'debug' | 'warn'>,
  fetchCard: (link: string) => Promise<LinkCard | undefined>,
) {
  const inTurn = limitPerApp('link cards', atOnce)
  const running = new Set<string>()
  let isStopped = false
  const readOn = async (app: string) =>
    (await readConfigValue(db, app, chatPageKey, chatPageConfig))?.linkCards === true
  // One read of an app for all links that wait for it. It begins after they were sent, so it is never too old for them.
  const isOnIn = batched(
    async (apps: string[]) => {
      const reads = new Map([...new Set(apps)].map((app) => [app, readOn(app)]))
      return apps.map((app) => reads.get(app) ?? false)
    },
    { max: 1_000, keyOf: (app) => app },
  )

  async function run(app: string, link: string, digest: string): Promise<void> {
    if (!(await isOnIn(app)) || (await isLinkCardFresh(db, app, digest, clock.now() - freshMS))) return
    await inTurn({ app }, async () => {
      const card = await fetchCard(link).catch((error: unknown) => {
        log.debug({ err: error, app }, 'a linked page has no card')
        return undefined
      })
      if (!isStopped) await saveLinkCard(db, app, digest, card)
    })
  }

  return {
    /** Returns at once. */
    soon(app: string, link: string) {
      const digest = digestOfLink(link)
      const name = `${app}\0${digest}`
      if (running.has(name)) return
      running.add(name)
      void run(app, link, digest)
        .catch((error: unknown) => {
          if (!(error instanceof ApiError)) log.warn({ err: error, app }, 'a link card was not written')
        })
        .finally(() => running.delete(name))
    },
    /** Stops writing: an aborted fetch says nothing about its page. */
    stop() {
      isStopped = true
    },
  }
}
