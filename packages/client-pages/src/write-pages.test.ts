import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { writeClientPages } from './write-pages.ts'

test('TypeDoc writes pages for every export of @parley/client, without warnings', async () => {
  const out = mkdtempSync(join(tmpdir(), 'parley-client-pages-'))
  onTestFinished(() => rmSync(out, { recursive: true }))
  await writeClientPages(out)
  const page = (name: string) => readFileSync(join(out, name), 'utf8')
  assert.match(page('interfaces/index.Client.html'), /user's connection to Parley/)
  const functions = ['index.createClient', 'admin.createAdmin', 'react.useRoom', 'uploads.createUploads']
  for (const name of functions) assert.match(page(`functions/${name}.html`), /<h1>/)
}, 300_000)
