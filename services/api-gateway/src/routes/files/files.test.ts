import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { takeUpload } from '@parley/chat/files/take-upload'
import { createUploads } from '@parley/chat/files/uploads'
import { findFile } from '@parley/db/files/files'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { png, put, upload } from './test-files.ts'

const pictures = { name: 'Bär & "Co".png', type: 'image/png' }

describe('files', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let stranger: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway({ files: { maxBytes: 3_000_000, maxBytesPerUser: 4_000_000 } })
    alice = await gateway.newUser()
    bob = await gateway.newUser()
    stranger = await gateway.newUser()
  })
  afterAll(() => gateway.stop())

  const statusFor = async (user: TestUser, id: string) => (await user.call('GET', `/files/${id}`)).status
  const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
    status,
    body.error?.code,
  ]
  const sendFile = async (by: TestUser, room: string, fileID: string, more: object = {}) =>
    by.call('POST', `/rooms/${room}/message`, {
      message: 'look',
      messageType: 'image',
      attachments: [{ fileID, width: 1, height: 1 }],
      ...more,
    })

  test('an uploaded file arrives with its message, and room members can fetch it', async () => {
    const room = await gateway.newRoom([alice, bob])
    const heard = await gateway.hear()
    const id = await upload(alice.call, png, pictures)
    assert.equal(await statusFor(bob, id), 404, 'before it was sent')
    const sent = await sendFile(alice, room, id)
    const attachment = { fileID: id, ...pictures, size: png.length, width: 1, height: 1 }
    assert.deepEqual(sent.body.result.attachments, [attachment])
    // At once: the message may still be in the room buffer.
    assert.equal(await statusFor(bob, id), 200)
    const { payload } = await heard.next('chat message')
    assert.deepEqual((payload as { attachments: unknown }).attachments, [attachment])
    const { body } = await bob.call('GET', `/rooms/${room}/messages/v3`)
    assert.deepEqual(body.result.data[0].attachments, [attachment])

    const { url, status, owner } = (await bob.call('GET', `/files/${id}`)).body.result
    assert.deepEqual([status, owner], ['uploaded', alice.id])
    const whole = await fetch(url)
    assert.deepEqual(Buffer.from(await whole.arrayBuffer()), png)
    assert.equal(whole.headers.get('content-type'), 'image/png')
    assert.equal(
      whole.headers.get('content-disposition'),
      `inline; filename="B?r & \\"Co\\".png"; filename*=UTF-8''B%C3%A4r%20%26%20%22Co%22.png`,
    )
    assert.equal(whole.headers.get('x-content-type-options'), 'nosniff')
    const part = await fetch(url, { headers: { range: 'bytes=1-3' } })
    assert.deepEqual([part.status, part.headers.get('content-range')], [206, `bytes 1-3/${png.length}`])
    assert.equal(await part.text(), 'PNG')
    assert.equal((await fetch(url, { headers: { range: 'bytes=999-' } })).status, 416)
    const save = (await bob.call('GET', `/files/${id}?download=true`)).body.result.url
    assert.match((await fetch(save)).headers.get('content-disposition') ?? '', /^attachment; /)
    const redirected = await fetch(`${gateway.url}/files/${id}?redirect=true`, {
      headers: { 'im-api-key': gateway.apiKey },
    })
    assert.deepEqual(Buffer.from(await redirected.arrayBuffer()), png)
  })

  test('users who are not members, have left, or belong to another app cannot see it; a banned member can', async () => {
    const room = await gateway.newRoom([alice, bob])
    const id = await upload(alice.call, png, pictures)
    await sendFile(alice, room, id)
    const other = await startTestGateway()
    const foreign = await other.newUser()
    assert.deepEqual(codeOf(await stranger.call('GET', `/files/${id}`)), [404, 'FILE_NOT_FOUND'])
    assert.deepEqual(codeOf(await foreign.call('GET', `/files/${id}`)), [404, 'FILE_NOT_FOUND'])
    assert.deepEqual(codeOf(await other.admin('GET', `/files/${id}`)), [404, 'FILE_NOT_FOUND'])
    await other.stop()
    assert.equal((await gateway.admin('GET', `/files/${id}`)).status, 200)
    await gateway.admin('POST', `/blockStatus/room/${room}/${bob.id}`)
    await gateway.admin('PUT', `/rooms/${room}`, { status: 0 })
    assert.equal(await statusFor(bob, id), 200)
    await bob.call('POST', `/rooms/${room}/delete/members`, { members: [bob.id] })
    assert.equal(await statusFor(bob, id), 404)
    assert.equal(await statusFor(alice, id), 200)
  })

  test('the sender can send only their own uploaded files, and the error names the field', async () => {
    const room = await gateway.newRoom([alice, bob])
    const id = await upload(alice.call, png, pictures)
    const waiting = (await bob.call('POST', '/files', { ...pictures, size: 9 })).body.result
    assert.equal(waiting.status, 'waiting')
    for (const [fileID, status, code] of [
      [id, 404, 'FILE_NOT_FOUND'],
      ['66f0c1a2b3c4d5e6f7a8b9c0', 404, 'FILE_NOT_FOUND'],
      [waiting.fileID, 400, 'INVALID_REQUEST'],
    ] as const) {
      const refused = await sendFile(bob, room, fileID)
      assert.deepEqual(codeOf(refused), [status, code])
      assert.match(refused.body.error.message, /^attachments\[0\]\.fileID: /)
    }
    const twice = await sendFile(alice, room, id, { attachments: [{ fileID: id }, { fileID: id }] })
    assert.match(twice.body.error.message, /^attachments\[1\]\.fileID: /)
    assert.equal((await sendFile(alice, room, id, { attachments: [] })).status, 400)

    // The integrator's own files: sent in any user's name, but only by the integrator.
    const ours = await upload(gateway.admin, png, pictures)
    assert.deepEqual(codeOf(await sendFile(bob, room, ours)), [404, 'FILE_NOT_FOUND'])
    const paras = [{ room }, { receiver: alice.id }]
    const { body } = await gateway.admin('POST', '/messages/batch', {
      ...{ sender: bob.id, message: 'x', messageType: 'image', attachments: [{ fileID: ours }], paras },
    })
    for (const { result } of body.result) assert.equal(result.attachments[0].name, pictures.name)
    assert.equal(await statusFor(alice, ours), 200)
    const named = await upload(gateway.admin, png, { ...pictures, owner: bob.id })
    const { result } = (await sendFile(bob, room, named)).body
    assert.equal(result.attachments[0].fileID, named)
    const edit = { _id: result._id, message: 'y', attachments: [{ fileID: named }] }
    assert.equal((await bob.call('POST', `/rooms/${room}/message`, edit)).status, 400)
    const edited = await bob.call('POST', `/rooms/${room}/message`, { _id: result._id, message: 'y' })
    assert.equal(edited.body.result.attachments[0].fileID, named)
  })

  test('invalid announcements are refused, naming the field', async () => {
    for (const [body, code, message] of [
      [{ name: 'a', type: 'image/png' }, 'MISSING_PARAMETER', /size/],
      [{ name: '../a', size: 1 }, 'INVALID_REQUEST', /name/],
      [{ name: 'a\n', size: 1 }, 'INVALID_REQUEST', /name/],
      [{ name: 'a', type: 'png', size: 1 }, 'INVALID_REQUEST', /type/],
      [{ name: 'a', size: 0 }, 'INVALID_REQUEST', /size/],
      [{ name: 'a', size: 3_000_001 }, 'FILE_TOO_LARGE', /^size: /],
      [{ name: 'a', size: 1, owner: bob.id }, 'INVALID_REQUEST', /^owner: /],
    ] as const) {
      const refused = await alice.call('POST', '/files', body)
      assert.deepEqual([refused.body.error.code, message.test(refused.body.error.message)], [code, true])
    }
    const unknown = await gateway.admin('POST', '/files', { name: 'a', size: 1, owner: 'nobody' })
    assert.deepEqual(codeOf(unknown), [404, 'CLIENT_NOT_FOUND'])
  })

  test('files announced at once are accepted only up to the quota', async () => {
    const carol = await gateway.newUser()
    const announced = await Promise.all(
      Array.from({ length: 6 }, () => carol.call('POST', '/files', { name: 'a', size: 1_500_000 })),
    )
    const accepted = announced.filter(({ status }) => status === 200)
    assert.ok(accepted.length <= 2)
    for (const one of announced) if (one.status !== 200) assert.deepEqual(codeOf(one), [409, 'FILES_FULL'])
    const left = 4_000_000 - accepted.length * 1_500_000
    assert.equal((await carol.call('POST', '/files', { name: 'a', size: Math.min(left, 1_000_000) })).status, 200)
  })

  test('the configuration lowers the limits of its app but cannot raise them', async () => {
    const dave = await gateway.newUser()
    const limit = (fileLimits: unknown) => gateway.admin('POST', '/config', { fileLimits })
    const code = async (size: number, by = dave) =>
      (await by.call('POST', '/files', { name: 'a', size })).body.error?.code
    await limit({ maxBytes: 100, maxBytesPerUser: 150 })
    assert.deepEqual([await code(101), await code(100), await code(51)], ['FILE_TOO_LARGE', undefined, 'FILES_FULL'])
    await limit({ maxBytes: 9_000_000, maxBytesPerUser: 9_000_000 })
    const eve = await gateway.newUser()
    assert.deepEqual([await code(3_000_001, eve), await code(3_000_000, eve)], ['FILE_TOO_LARGE', undefined])
    assert.equal(await code(1_000_001, eve), 'FILES_FULL')
    for (const wrong of [7, { maxBytes: 0 }, { maxBytes: '1' }, { max: 1 }]) {
      const { status, body } = await limit(wrong)
      assert.deepEqual([status, body.error.message.startsWith('fileLimits')], [400, true])
    }
    await gateway.admin('DELETE', '/config/fileLimits')
    assert.equal(await code(1_000_000), undefined)
  })

  test('pictures lose location, camera and time on upload, unless the app keeps them', async () => {
    const exif = { IFD0: { Make: 'Acme', Model: 'Phone' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' } }
    const colours = { create: { width: 40, height: 20, channels: 3 as const, background: '#0af' } }
    const taken = sharp(colours).withMetadata({ orientation: 6 }).withExifMerge(exif)
    const formats = {
      jpeg: await taken.clone().jpeg().toBuffer(),
      png: await taken.clone().png().toBuffer(),
      webp: await taken.clone().webp().toBuffer(),
    }
    const stored = async (format: string, bytes: Buffer<ArrayBuffer>) => {
      const id = await upload(alice.call, bytes, { name: `a.${format}`, type: `image/${format}` })
      const { url, size } = (await alice.call('GET', `/files/${id}`)).body.result
      const got = Buffer.from(await (await fetch(url)).arrayBuffer())
      assert.equal(got.length, size)
      return got
    }
    for (const [format, bytes] of Object.entries(formats)) {
      assert.ok(bytes.includes('Acme'), format)
      // A video that a phone appends to the picture.
      const film = format === 'jpeg' ? Buffer.concat([bytes, Buffer.from('ftypmp42 Acme')]) : bytes
      const got = await stored(format, Buffer.from(film))
      assert.equal(got.includes('Acme'), false, format)
      const before = await sharp(bytes).raw().toBuffer()
      const { orientation, exif: left } = await sharp(got).metadata()
      assert.equal(orientation, 6, format)
      assert.ok((left?.length ?? 0) < 40, format)
      assert.deepEqual(await sharp(got).raw().toBuffer(), before, `${format}: the pixels stay`)
    }
    await gateway.admin('POST', '/config', { fileLimits: { keepMetadata: true } })
    assert.ok((await stored('jpeg', Buffer.from(formats.jpeg))).includes('Acme'))
    await gateway.admin('DELETE', '/config/fileLimits')
  })

  test('an upload of another size or type, or a repeated one, is refused and can be retried', async () => {
    const announced = await alice.call('POST', '/files', { ...pictures, size: png.length })
    const outcome = async (bytes: Buffer<ArrayBuffer>) => {
      const answer = await put(announced, bytes)
      return codeOf({ status: answer.status, body: (await answer.json()) as { error?: { code: string } } })
    }
    assert.deepEqual(await outcome(png.subarray(1)), [400, 'INVALID_BODY'])
    assert.deepEqual(await outcome(Buffer.concat([png, png])), [413, 'FILE_TOO_LARGE'])
    assert.deepEqual(await outcome(Buffer.alloc(png.length, '<')), [409, 'FILE_TYPE_MISMATCH'])
    assert.deepEqual(await outcome(png), [200, undefined])
    assert.deepEqual(await outcome(png), [409, 'FILE_UPLOADED'])
    const { fileID, upload: where } = announced.body.result
    assert.equal((await alice.call('POST', `/files/${fileID}/uploaded`)).body.result.status, 'uploaded')
    assert.equal((await bob.call('POST', `/files/${fileID}/uploaded`)).status, 404)
    for (const change of [/signature=./, /use=put/, /expires=\d/]) {
      const forged = where.url.replace(change, (found: string) => (found === 'use=put' ? 'use=get' : `${found}1`))
      const answer = await fetch(forged, { method: forged.includes('use=get') ? 'GET' : 'PUT' })
      assert.equal(answer.status, 403, forged)
    }
  })

  test('a recorded upload is the content of the file, even if its response was lost', async () => {
    const { chat, store } = gateway
    const announced = await alice.call('POST', '/files', { ...pictures, size: png.length })
    const { fileID } = announced.body.result
    const file = await findFile(chat.db, gateway.app, fileID)
    assert.ok(file)
    const { files } = chat.db
    const updateOne = async (...args: Parameters<typeof files.updateOne>) => {
      await files.updateOne(...args)
      throw new Error('the response was lost')
    }
    const findOneAndUpdate = files.findOneAndUpdate.bind(files)
    const cut = { ...chat, db: { ...chat.db, files: { updateOne, findOneAndUpdate } as unknown as typeof files } }
    const uploads = createUploads({ bytesPerUser: 0, bytes: 0 })
    await assert.rejects(takeUpload(cut, { store, isScanned: false, uploads }, file, Readable.from([png])), /was lost/)
    assert.equal((await put(announced, png)).status, 409)
    const { url } = (await alice.call('GET', `/files/${fileID}`)).body.result
    assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), png)
  })

  test("the first bytes decide whether a file can be shown inline; download-only files may have another harmless type's bytes", async () => {
    const statusOf = async (type: string, bytes: Buffer<ArrayBuffer>) =>
      (await put(await alice.call('POST', '/files', { name: 'a', type, size: bytes.length }), bytes)).status
    const brand = (name: string) => Buffer.from(`\0\0\0\x18ftyp${name}\0\0\0\0${name}${name}`, 'latin1')
    const exe = Buffer.concat([Buffer.from('MZ\x90\0\x03\0', 'latin1'), Buffer.alloc(100)])
    const elf = Buffer.from('\x7fELF\x02\x01\x01\0', 'latin1')
    const wordInZip = Buffer.concat([
      Buffer.from('504b03040a0000000000000000000000000000000000000000001100', 'hex'),
      Buffer.from('\0\0word/document.xml', 'latin1'),
    ])
    const taken: [string, Buffer<ArrayBuffer> | string][] = [
      ['text/csv', 'BM,amount\n1,2'],
      ['text/plain', 'MZ is where the letter went'],
      ['text/plain', '<?xml version="1.0"?><a/>'],
      ['text/x-vcard', 'BEGIN:VCARD\r\nVERSION:3.0\r\nEND:VCARD\r\n'],
      ['video/mp2t', 'export const a = 1\n'],
      ['application/msword', '{\\rtf1 text}'],
      ['application/zip', wordInZip],
      ['application/vnd.rar', 'Rar!\x1a\x07\x01\0'],
      ['video/mpeg', Buffer.from('000001ba440004000401', 'hex')],
      ['video/x-msvideo', 'RIFF\x24\0\0\0AVI LIST\x10\0\0\0hdrlavih'],
      ['video/x-ms-wmv', Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex')],
      ['video/3gpp', brand('isom')],
      ['image/heif', brand('heic')],
      ['image/heic', brand('mif1')],
      ['image/x-ms-bmp', Buffer.from('424d3a000000000000003600000028000000', 'hex')],
      ['image/vnd.microsoft.icon', Buffer.from('00000100010010100000', 'hex')],
      ['audio/ogg', Buffer.concat([Buffer.from('OggS'), Buffer.alloc(24), Buffer.from('OpusHead\x01\x02')])],
      ['application/vnd.microsoft.portable-executable', exe],
    ]
    for (const [type, bytes] of taken)
      assert.equal(await statusOf(type, Buffer.from(bytes as string, 'latin1')), 200, type)
    const refused: [string, Buffer<ArrayBuffer>][] = [
      ['image/png', Buffer.from('<html><script>alert(1)</script></html>')],
      ['image/png', Buffer.from('only text')],
      ['image/jpeg', png],
      ['video/x-m4v', Buffer.from('only text')],
      ['application/pdf', exe],
      ['text/plain', exe],
      ['text/plain', elf],
    ]
    for (const [type, bytes] of refused) assert.equal(await statusOf(type, bytes), 409, type)
    for (const [given, type] of [
      ['image/jpg', 'image/jpeg'],
      ['audio/x-m4a', 'audio/mp4'],
      ['audio/x-wav', 'audio/wav'],
    ])
      assert.equal((await alice.call('POST', '/files', { name: 'a', type: given, size: 1 })).body.result.type, type)
  })

  test('files that a page could run are download-only, whatever their names', async () => {
    const html = Buffer.from('<html><script>alert(1)</script></html>')
    for (const type of ['text/html', 'image/svg+xml', 'application/octet-stream']) {
      const id = await upload(alice.call, html, { name: 'a.png', type })
      const answer = await fetch((await alice.call('GET', `/files/${id}`)).body.result.url)
      const { headers } = answer
      assert.equal(headers.get('content-type'), 'application/octet-stream')
      assert.match(headers.get('content-disposition') ?? '', /^attachment; /)
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
    }
  })

  test('a body over 1 MiB is streamed, and may take longer than other requests', async () => {
    const slow = await gateway.another({ receiveMS: 1_500, files: { maxBytes: 3_000_000 } })
    const size = 2_500_000
    const announced = await gateway.admin('POST', '/files', { name: 'a', size })
    const { url } = announced.body.result.upload
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        // Past the time limit of other requests.
        if (sent > 0) {
          const late = await fetch(`${slow.url}/messages`, trickling(gateway.apiKey))
          assert.equal(late.status, 408)
        }
        controller.enqueue(new Uint8Array(size / 2))
        sent += size / 2
        if (sent === size) controller.close()
      },
    })
    const there = url.replace(gateway.url, slow.url)
    const answer = await fetch(there, { method: 'PUT', body, duplex: 'half' })
    assert.equal(answer.status, 200, await answer.text())
    await slow.stop()
  })
})

/** A request with an endless body. */
function trickling(apiKey: string): RequestInit {
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Buffer.from('{')) })
  const headers = { 'im-api-key': apiKey, 'content-type': 'application/json' }
  return { method: 'POST', headers, body, duplex: 'half' }
}
