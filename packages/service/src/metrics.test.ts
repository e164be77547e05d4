import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createMetrics } from './metrics.ts'

test('services of one process share each metric of the scrape, and any label value keeps its samples', async () => {
  const metrics = createMetrics('all')
  const reasons = ['a\rb', 'a\u2028b', 'a\u2029# HELP b', 'a\n# HELP b', 'c']
  for (const service of ['push', 'stats']) {
    const failed = metrics.of(service).counter('parley_failed_total', 'Failures', ['reason'])
    for (const reason of reasons) failed.inc({ reason })
  }
  for (const accept of ['text/plain', 'application/openmetrics-text']) {
    const { text } = await metrics.scrape(accept)
    const lines = text.split('\n')
    assert.equal(lines.filter((line) => line.startsWith('# TYPE parley_failed')).length, 1)
    assert.equal(lines.filter((line) => line.startsWith('parley_failed_total{')).length, 2 * reasons.length)
    assert.equal(lines.filter((line) => line === '# EOF').length, accept === 'text/plain' ? 0 : 1)
    assert.ok(!lines.slice(0, -1).includes(''))
  }
})
