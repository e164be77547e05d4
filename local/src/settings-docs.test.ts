import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { settingsPage } from './write-settings-docs.ts'

test('docs/settings.md has every setting of every service: `npm run docs:settings` writes it', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/settings.md'), 'utf8')
  assert.equal(page, settingsPage())
  assert.ok(page.includes('PARLEY_MONGO_URL') && page.includes('PARLEY_REALTIME_PORT'))
})
