import type { PageFiles } from '@parley/chat/integrations/chat-page'
import type { Logger } from '@parley/service/log'
import type { FastifyInstance } from 'fastify'

const dailyMS = 24 * 3_600_000
const afterFailureMS = 60_000
/** Minimum time between lookups of a missing name. */
const namesHoldMS = 5_000

/** Files of the chat page and the console that the gateways of all releases share. Stops with the app. */
export function createOtherFiles(app: FastifyInstance, shared: PageFiles, log: Logger) {
  const timers = new Set<NodeJS.Timeout>()
  let names: { known: Promise<Set<string>>; untilMS: number } | undefined

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
  async function isKnown(name: string): Promise<boolean> {
    const nowMS = performance.now()
    if (!names || names.untilMS < nowMS) {
      names = { known: shared.list().then((found) => new Set(found)), untilMS: nowMS + namesHoldMS }
    }
    return (await names.known).has(name)
  }
  app.addHook('onClose', async () => timers.forEach((timer) => clearTimeout(timer)))
  return {
    /** Shares our own files with other gateways while this gateway runs. */
    keep: (files: ReadonlyMap<string, Uint8Array>) => void keepNow(files),
    /** A file of another release, if any gateway has it. */
    find: async (name: string) => ((await isKnown(name)) ? shared.find(name) : undefined),
  }
}
export type OtherFiles = ReturnType<typeof createOtherFiles>
