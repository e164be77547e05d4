import type { PageFiles } from '@parley/chat/integrations/chat-page'
import type { Logger } from '@parley/service/log'
import type { FastifyInstance } from 'fastify'

const dailyMS = 24 * 3_600_000
const afterFailureMS = 60_000
/** Minimum time between lookups of a missing name. */
const namesCachedMS = 5_000

/** Files of the chat page and the console that the gateways of all releases share. Stops with the app. */
export function createReleaseFiles(app: FastifyInstance, shared: PageFiles, log: Logger) {
  const timers = new Set<NodeJS.Timeout>()
  let names: { found: Promise<Set<string>>; untilMS: number } | undefined

  async function keepNow(files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    let againMS = dailyMS
    try {
      await shared.keep(files)
    } catch (error) {
      log.warn({ err: error }, 'page files not stored for gateways of other releases; trying again')
      againMS = afterFailureMS
    }
    const timer = setTimeout(() => {
      timers.delete(timer)
      void keepNow(files)
    }, againMS).unref()
    timers.add(timer)
  }

  function findNames(): Promise<Set<string>> {
    const nowMS = performance.now()
    if (names && nowMS <= names.untilMS) return names.found
    const found = shared.list().then((list) => new Set(list))
    names = { found, untilMS: nowMS + namesCachedMS }
    found.catch(() => {
      if (names?.found === found) names = undefined
    })
    return found
  }

  app.addHook('onClose', async () => timers.forEach((timer) => clearTimeout(timer)))
  return {
    /** Shares this gateway's own files with other gateways while it runs. */
    keep: (files: ReadonlyMap<string, Uint8Array>) => void keepNow(files),
    /** A file of another release, if any gateway has it. */
    find: async (name: string) => ((await findNames()).has(name) ? shared.find(name) : undefined),
  }
}
export type ReleaseFiles = ReturnType<typeof createReleaseFiles>
