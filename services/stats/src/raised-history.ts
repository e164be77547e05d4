import type { Worker } from '@parley/chat/jobs/run-workers'
import { lowerHistory } from '@parley/db/backup/history-window'
import type { Db } from '@parley/db/connect'
import type { Logger } from '@parley/service/log'

/** Restores MongoDB's history window after a killed backup left it raised. */
export function lowerRaisedHistory(db: Db, log: Logger): Worker {
  return {
    kinds: ['raisedHistory'],
    onError: (error) => log.warn({ err: error }, 'history window of a killed backup not put back; trying again'),
    async work() {
      const outcome = await lowerHistory(db)
      if (outcome === 'lowered') log.info('history window of MongoDB put back after a killed backup')
      if (outcome === 'refused') log.warn('history window of a killed backup not put back: no role hostManager')
    },
  }
}
