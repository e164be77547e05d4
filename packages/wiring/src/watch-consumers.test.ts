import assert from 'node:assert/strict'
import { createLog } from '@parley/service/log'
import { createMetrics } from '@parley/service/metrics'
import { test } from 'vitest'
import { watchConsumers } from './watch-consumers.ts'

test('the counter of dropped messages starts at 0, so that an alert sees the first one', async () => {
  const metrics = createMetrics('stats')
  watchConsumers(createLog({ service: 'stats', node: 'n', level: 'silent' }), metrics)('stats')
  const { text } = await metrics.scrape()
  assert.match(text, /^parley_events_dropped_total\{[^}]*consumer="stats"[^}]*\} 0$/m)
})
