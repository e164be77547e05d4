import type { Db } from '@parley/db/connect'
import { oldestUnpublished } from '@parley/db/outbox'
import type { Metrics } from '@parley/service/metrics'

/** Exports, asked at each scrape, how old the oldest event is that the bus does not have: a second or less when all is well. */
export function watchOutbox(metrics: Metrics, db: Db): void {
  metrics.gaugeOf('parley_outbox_age_seconds', 'Age of the oldest event that is not published yet', async () => {
    const oldest = await oldestUnpublished(db)
    return oldest === undefined ? 0 : Math.max(0, Date.now() - oldest) / 1000
  })
}
