import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { eventually } from '../platform.ts'
import { killStarted, npmStart } from './npm-start.ts'

const root = join(import.meta.dirname, '../..')
/** On the same file system as the checkout, for hard links. */
const home = mkdtempSync(join(root, '.parley/odd-'))
/** Special characters of URLs, shells and NODE_OPTIONS. `src` is also a folder of each package. */
const clone = join(home, 'src/#1 50%20? of \'$x\' & "y"')
/** A PNG of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

afterAll(async () => {
  await killStarted()
  rmSync(home, { recursive: true })
})

describe('a clone in a folder with #, %, ?, quotes and spaces in its name', () => {
  test('builds the page, runs by `npm start`, and builds the services', async () => {
    mkdirSync(clone, { recursive: true })
    const parts = readdirSync(root).filter((name) => !name.startsWith('.'))
    execFileSync('cp', ['-rlP', ...parts, clone], { cwd: root })
    for (const built of ['packages/chat-page/dist', 'packages/client/kit'])
      rmSync(join(clone, built), { recursive: true })
    const npm = (...args: string[]) => execFileSync('npm', ['--prefix', clone, ...args], { encoding: 'utf8' })
    assert.match(npm('run', '-s', 'build:page'), /Built the chat page\n.*Built the React kit/)

    const args = ['--port', '0', '--gateways', '1', '--realtime', '1']
    const command = ['npm', '--prefix', clone, 'start', '--ignore-scripts', '--']
    const ofSources = { PARLEY_TEST_BUILD: undefined }
    const { baseUrl, text } = await npmStart(join(clone, '.parley/data'), args, ofSources, command).runs()
    for (const path of ['/', '/chat', '/chat/icon.svg', '/docs', '/openapi.json'])
      assert.equal((await fetch(baseUrl + path)).status, 200, `${path}\n${text}`)
    await seesThumbnail(baseUrl)

    npm('run', '-s', 'build:services')
    const help = execFileSync(process.execPath, [join(clone, 'build/parley.js'), '--help'], { encoding: 'utf8' })
    assert.match(help, /migrate/)
  })
})

/** Checks thumbnails, whose process is started from a URL and whose files are served from the data folder. */
async function seesThumbnail(baseUrl: string): Promise<void> {
  const ask = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
    const json = body && { body: JSON.stringify(body) }
    const answer = await fetch(baseUrl + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...json,
    })
    return JSON.parse(await answer.text()).result
  }
  const client = { _id: 'alice', issueAccessToken: true }
  const { token } = await ask('POST', '/admin/clients', { 'im-api-key': 'demo-api-key' }, client)
  const alice = { 'im-client-key': 'demo-client-key', 'im-client-id': 'alice', 'im-authorization': token }
  const { fileID, upload } = await ask('POST', '/files', alice, { name: 'a.png', type: 'image/png', size: png.length })
  assert.equal((await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: png })).status, 200)
  const thumbnail = await eventually('a thumbnail', async () => (await ask('GET', `/files/${fileID}`, alice)).thumbnail)
  assert.equal((await fetch(thumbnail.url)).status, 200)
}
