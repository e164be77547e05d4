import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { settingsPage } from './write-settings-docs.ts'

test('docs/settings.md has every setting of every service and command: `npm run docs:settings` writes it', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/settings.md'), 'utf8')
  assert.equal(page, settingsPage())
  for (const name of ['PARLEY_MONGO_URL', 'PARLEY_REALTIME_PORT', 'PARLEY_RESTORE_OPLOG_URL']) {
    assert.ok(page.includes(`\`${name}\``), name)
  }
})
