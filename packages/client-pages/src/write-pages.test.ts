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
  assert.match(page('interfaces/src.Client.html'), /user's connection to Parley/)
  assert.match(page('interfaces/kit.RoomListProps.html'), /ID of the open room/)
  const functions = ['src.createClient', 'src_admin.createAdmin', 'src_react.useRoom', 'src_uploads.createUploads']
  for (const name of functions) assert.match(page(`functions/${name}.html`), /<h1>/)
}, 300_000)
