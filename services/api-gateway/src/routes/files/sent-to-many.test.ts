import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { recorded } from '../../test-profiler.ts'
import { png, upload } from './test-files.ts'

const others = 2_000
const threads = 1_000

describe('a file that was sent to thousands of rooms', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string
  let file: string
  let root: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    ;[alice, bob] = [await gateway.newUser(), await gateway.newUser()]
    room = await gateway.newRoom([alice, bob])
    file = await upload(alice.call, png, { name: 'a.png', type: 'image/png' })
    const attachment = { fileID: file, name: 'a.png', type: 'image/png', size: png.length }
    const sent = Array.from({ length: others }, (_, i) => {
      const where = { app: gateway.app, room: `other ${i}`, roomKey: key(gateway.app, `other ${i}`), seq: 1 }
      const what = { sender: alice.id, content: '"x"', messageType: 'image', attachments: [attachment] }
      return { _id: newId(), ...where, ...what, createdAtMS: i, updatedAtMS: i }
    })
    await gateway.chat.db.messages.insertMany(sent)
    root = (await send({ attachments: undefined })).body.result._id
    await gateway.chat.flusher.drained()
  })
  afterAll(() => gateway.stop())

  const send = (more: object = {}) =>
    alice.call('POST', `/rooms/${room}/message`, {
      ...{ message: 'x', messageType: 'image', attachments: [{ fileID: file }], ...more },
    })
  /** The status for a user, within a bound of commands and documents. */
  async function statusFor(user: TestUser): Promise<number> {
    let status = 0
    const commands = await recorded(gateway, async () => {
      status = (await user.call('GET', `/files/${file}`)).status
    })
    assert.ok(commands.length < 20, `${commands.length} commands`)
    for (const what of ['docsExamined', 'keysExamined']) {
      const examined = commands.reduce((sum, { [what]: count = 0 }) => sum + count, 0)
      assert.ok(examined < others / 2, `${what}: ${examined}`)
    }
    return status
  }

  test('is visible to members of the last room but not to strangers, at the same cost', async () => {
    assert.equal(await statusFor(bob), 404)
    const { _id } = (await send()).body.result
    await gateway.chat.flusher.drained()
    assert.equal(await statusFor(bob), 200)
    await gateway.admin('DELETE', `/rooms/${room}/messages/${_id}`)
    assert.equal(await statusFor(bob), 404)
    assert.equal((await send({ replyTo: root, thread: true })).status, 200)
    assert.equal(await statusFor(bob), 200)
    assert.equal(await statusFor(await gateway.newUser()), 404)
  })
  test("is found past threads with other files in the caller's rooms", async () => {
    const other = { fileID: 'another', name: 'b.png', type: 'image/png', size: 1 }
    const inThreads = Array.from({ length: threads }, (_, i) => {
      const where = { app: gateway.app, room, roomKey: key(gateway.app, room, `root ${i}`), seq: 1 }
      const what = { sender: alice.id, content: '"x"', messageType: 'image', attachments: [other] }
      return { _id: newId(), ...where, ...what, threadOf: `root ${i}`, createdAtMS: i, updatedAtMS: i }
    })
    await gateway.chat.db.messages.insertMany(inThreads)
    const carl = await gateway.newUser()
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: [carl.id] })
    assert.equal(await statusFor(carl), 200)
  })
})
