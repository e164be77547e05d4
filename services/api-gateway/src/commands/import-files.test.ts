import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importedFileId } from '@parley/chat/import/known-ids'
import { key } from '@parley/db/keys'
import { parleyFile } from '@parley/stack/parley-command'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, test } from 'vitest'
import { lookAtAll, png, upload } from '../routes/files/test-files.ts'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

let gateway: TestGateway
let folder: string
beforeAll(async () => {
  gateway = await startTestGateway()
  folder = await mkdtemp(join(tmpdir(), 'parley-import-files-'))
})
afterAll(async () => {
  await gateway.stop()
  await rm(folder, { recursive: true })
})

async function parley(...args: string[]): Promise<{ code: number; text: string }> {
  const { mongoUrl } = await testServers()
  const env = {
    ...{ ...process.env, PARLEY_FILES_FOLDER: gateway.store.root },
    PARLEY_MONGO_URL: withDatabase(mongoUrl, gateway.chat.db.mongo.databaseName),
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [parleyFile, ...args, '--app', gateway.app], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), text: stdout + stderr }),
    )
  })
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const bytes = Buffer.from('the bytes of a file')

test('missing, damaged and false files are named, and their messages imported; a later import stores the rest', async () => {
  const place = join(folder, 'hand-written')
  await mkdir(join(place, 'files'), { recursive: true })
  const write = (id: string, name: string, content: Buffer) => writeFile(join(place, 'files', `${id}-${name}`), content)
  const file = (_id: string, more: object = {}) => ({
    ...{ type: 'file', _id, owner: 'ann', name: `${_id}.txt`, size: bytes.length, ...more },
  })
  const message = (_id: string, fileID: string, more: object = {}) => ({
    ...{ type: 'message', _id, room: 'files', sender: 'ann', message: _id, messageType: 'file' },
    ...{ createdAt: 1_700_000_000_000, attachments: [{ fileID, width: 5 }], ...more },
  })
  const picture = { name: 'p.png', mediaType: 'image/png', size: png.length }
  const lines = [
    ...['ann', 'ben'].map((_id) => ({ type: 'user', _id })),
    file('good', { sha256: sha256(bytes), createdAt: 1_600_000_000_000, mediaType: 'text/plain; charset=utf-8' }),
    file('missing'),
    file('short', { size: bytes.length + 1 }),
    file('damaged', { sha256: sha256(png) }),
    file('link'),
    file('false', { ...picture, size: bytes.length }),
    file('picture', picture),
    file('ours', { owner: undefined }),
    { type: 'room', _id: 'files', roomType: 'group' },
    ...['ann', 'ben'].map((user) => ({ type: 'membership', room: 'files', user })),
    ...['good', 'missing', 'short', 'damaged', 'link', 'false', 'picture', 'ours'].map((id) => message(`of ${id}`, id)),
  ]
  const bad = [
    file('stray', { owner: 'nobody' }),
    message('of another', 'good', { sender: 'ben' }),
    message('of nothing', 'nothing'),
    { ...file('gone'), status: 'gone' },
    message('of a gone one', 'gone'),
    file('hidden', { name: 'a\u202Etxt.exe' }),
    file('../up'),
  ]
  const path = join(place, 'import.ndjson')
  const given = async (all: object[]) => writeFile(path, all.map((line) => JSON.stringify(line)).join('\n'))
  for (const id of ['good', 'short', 'damaged', 'ours']) await write(id, `${id}.txt`, bytes)
  await write('false', 'p.png', bytes)
  await write('picture', 'p.png', png)
  await symlink(import.meta.filename, join(place, 'files', 'link-link.txt'))

  await given([...lines, ...bad])
  const dry = await parley('import', path, '--dry-run')
  assert.equal(dry.code, 1, dry.text)
  const at = lines.length + 1
  for (const [n, reason] of [
    [0, 'owner: no earlier line is for the user "nobody"'],
    [1, 'attachments: attachments\\[0\\].fileID: the sender has no file "good"'],
    [2, 'attachments: attachments\\[0\\].fileID: the sender has no file "nothing"'],
    [4, 'attachments: name, type and size are required for a file that is gone'],
    [5, 'name: has direction controls'],
    [6, '_id: expected 1 to 64 letters'],
  ] as const) {
    assert.match(dry.text, new RegExp(`:${at + n}: ${reason}`))
  }
  const named = [
    ...['files/missing-missing.txt: is missing', 'files/link-link.txt: is a link'],
    ...['files/short-short.txt: has 19 bytes, expected 20', 'files/damaged-damaged.txt: is damaged'],
  ]
  for (const fault of named) assert.ok(dry.text.includes(fault), dry.text)
  assert.equal(await gateway.chat.db.files.countDocuments({ app: gateway.app }), 0)

  await given(lines)
  const first = await parley('import', path)
  assert.equal(first.code, 1, first.text)
  for (const fault of [...named, 'files/false-p.png: type: image/png expected, found']) {
    assert.ok(first.text.includes(fault), first.text)
  }
  assert.match(first.text, /5 files are missing or damaged/)

  const ann = await gateway.newUser('ann')
  const ben = await gateway.newUser('ben')
  const fileOf = async (id: string) => (await ben.call('GET', `/files/${importedFileId(gateway.app, id)}`)).body.result
  const { body } = await ben.call('GET', '/rooms/files/messages/v3?limit=50')
  assert.deepEqual(body.result.data.at(-1).attachments, [
    { fileID: importedFileId(gateway.app, 'good'), name: 'good.txt', type: 'text/plain', size: bytes.length, width: 5 },
  ])
  assert.equal(body.result.data.length, 8)
  assert.partialDeepStrictEqual(await fileOf('good'), { status: 'checking', createdAtMS: 1_600_000_000_000 })
  assert.partialDeepStrictEqual(await fileOf('missing'), { status: 'waiting' })
  await lookAtAll(gateway.chat, gateway, Date.now() + 30_000)
  for (const id of ['good', 'ours']) {
    const { url, status } = await fileOf(id)
    assert.deepEqual([status, await (await fetch(url)).text()], ['uploaded', bytes.toString()])
  }
  assert.deepEqual((await fileOf('picture')).thumbnail.width, 1)

  await rm(join(place, 'files', 'link-link.txt'))
  for (const id of ['missing', 'link']) await write(id, `${id}.txt`, bytes)
  await write('short', 'short.txt', Buffer.concat([bytes, Buffer.from('!')]))
  const corrected = new Map([
    ['damaged', file('damaged')],
    ['false', file('false', picture)],
  ])
  await given(lines.map((line) => ('_id' in line && corrected.get(line._id)) || line))
  await write('false', 'p.png', png)
  const second = await parley('import', path)
  assert.equal(second.code, 0, second.text)
  await lookAtAll(gateway.chat, gateway, Date.now() + 30_000)
  for (const id of ['missing', 'short', 'damaged', 'link', 'false', 'picture']) {
    assert.partialDeepStrictEqual(await fileOf(id), { status: 'uploaded', owner: ann.id }, id)
  }
})

test('an export names files that the store lacks, and a repeated one keeps the copies of a killed one', async () => {
  const zoe = await gateway.newUser('zoe')
  const room = await gateway.newRoom([zoe])
  const ids = [await upload(zoe.call, bytes), await upload(zoe.call, bytes), await upload(zoe.call, bytes)]
  const [kept = '', lost = '', cut = ''] = ids
  for (const fileID of ids) {
    const sent = { room, sender: 'zoe', message: 'x', messageType: 'file', attachments: [{ fileID }] }
    assert.equal((await gateway.admin('POST', '/messages', sent)).status, 200)
  }
  const storedAt = async (id: string) => {
    const { stored = '' } = (await gateway.chat.db.files.findOne({ _id: key(gateway.app, id) })) ?? {}
    return join(gateway.store.root, gateway.store.pathOf(id, stored))
  }
  const place = join(folder, 'exported')
  await mkdir(join(place, 'files'), { recursive: true })
  // As a killed export has left them.
  await writeFile(join(place, 'export.ndjson.part'), '{"type":')
  await writeFile(join(place, 'files', `.part-${cut}`), 'the by')
  await writeFile(join(place, 'files', `${kept}-a.bin`), bytes)
  await rm(await storedAt(kept))
  await rm(await storedAt(lost))
  await writeFile(await storedAt(cut), 'short')
  const { code, text } = await parley('export', '--out', place, '--files')
  assert.equal(code, 1, text)
  assert.ok(text.includes(`files/${lost}-a.bin: the file store does not have this file`), text)
  assert.ok(text.includes(`files/${cut}-a.bin: the file store has 5 bytes of this file, expected 19`), text)
  assert.match(text, /2 files were not copied/)
  const lines = (await readFile(join(place, 'export.ndjson'), 'utf8')).trim().split('\n')
  const files = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'file')
  const of = (wanted: string) => files.find(({ _id }) => _id === wanted)
  assert.partialDeepStrictEqual(of(kept), { status: 'uploaded', owner: 'zoe', sha256: sha256(bytes) })
  assert.deepEqual([of(lost).status, of(cut).status], ['gone', 'gone'])
  const names = await readdir(join(place, 'files'))
  assert.deepEqual([names.includes(`${kept}-a.bin`), names.filter((name) => name.startsWith('.part'))], [true, []])
  const again = await parley('export', '--out', place, '--files')
  assert.deepEqual([again.code, /exists: name another place/.test(again.text)], [1, true], again.text)
})
