import assert from 'node:assert/strict'
import { sendDue } from '@parley/chat/messages/send-scheduled'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'
import { lookAtAll, png, upload } from './test-files.ts'

const hourMS = 60 * 60_000

describe('files of messages that are scheduled or still streamed', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let robot: TestUser
  let room: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
    bob = await gateway.newUser('bob')
    robot = await gateway.newUser('robot', { isRobot: true })
    room = await gateway.newRoom([alice, bob, robot])
  })
  afterAll(() => gateway.stop())

  const picture = { name: 'a.png', type: 'image/png' }
  const newFile = (by = alice.call) => upload(by, png, picture)
  const attaching = (...ids: string[]) => ({ attachments: ids.map((fileID) => ({ fileID, width: 7 })) })
  const later = (more: object) => ({ message: 'x', messageType: 'image', sendAtMS: Date.now() + 48 * hourMS, ...more })
  const schedule = async (more: object, by = alice) => by.call('POST', '/scheduled', { room, ...later(more) })
  const statusFor = async (user: TestUser, id: string) => (await user.call('GET', `/files/${id}`)).status
  /** Checks all files that are due some time from now. */
  async function clear(laterMS: number): Promise<void> {
    await lookAtAll(gateway.chat, gateway, Date.now() + laterMS)
  }
  const isThere = async (id: string) => (await gateway.chat.db.files.findOne({ _id: key(gateway.app, id) })) !== null
  async function sendAll(): Promise<void> {
    const due = { nextMS: { $exists: true } }
    await gateway.chat.db.scheduled.updateMany(due, { $set: { nextMS: Date.now() } })
    await sendDue(gateway.chat)
  }
  const last = async () => (await bob.call('GET', `/rooms/${room}/messages/v3?limit=1`)).body.result.data[0]

  test('are kept while their message waits, and belong to it once it is sent', async () => {
    const id = await newFile()
    const { attachments } = (await schedule(attaching(id))).body.result
    const expected = [{ fileID: id, ...picture, size: png.length, width: 7 }]
    assert.deepEqual(attachments, expected)
    assert.deepEqual((await alice.call('GET', '/scheduled')).body.result.data[0].attachments, expected)
    await clear(25 * hourMS)
    await clear(8 * 24 * hourMS)
    assert.deepEqual([await isThere(id), await statusFor(bob, id)], [true, 404])
    await sendAll()
    assert.deepEqual([(await last()).attachments, await statusFor(bob, id)], [expected, 200])
    const asMember = await alice.call('POST', `/rooms/${room}/message`, later(attaching(id)))
    assert.deepEqual([asMember.status, asMember.body.result.attachments], [202, expected])
    await alice.call('DELETE', `/scheduled/${asMember.body.result.id}`)
    await clear(25 * hourMS)
    assert.equal(await isThere(id), true, 'the message that was sent has it')
  })

  test('are released when the message is cancelled or changed, or its user erased, and then deleted like unsent files', async () => {
    const eve = await gateway.newUser()
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: [eve.id] })
    const [cancelled, replaced, taken, ofEve] = [
      await newFile(),
      await newFile(),
      await newFile(),
      await newFile(eve.call),
    ]
    const [one, two, three] = [
      await schedule(attaching(cancelled)),
      await schedule(attaching(replaced)),
      await schedule(attaching(taken)),
    ]
    await schedule(attaching(ofEve), eve)
    await clear(25 * hourMS)
    assert.deepEqual([await isThere(cancelled), await isThere(replaced), await isThere(taken)], [true, true, true])
    await alice.call('DELETE', `/scheduled/${one.body.result.id}`)
    const other = await alice.call('PUT', `/scheduled/${two.body.result.id}`, attaching(await newFile()))
    assert.equal(other.body.result.attachments.length, 1)
    const none = await alice.call('PUT', `/scheduled/${three.body.result.id}`, { attachments: [] })
    assert.equal('attachments' in none.body.result, false)
    await gateway.admin('DELETE', `/admin/clients/${eve.id}`)
    await clear(23 * hourMS)
    assert.deepEqual(
      [await isThere(cancelled), await isThere(replaced), await isThere(taken), await isThere(ofEve)],
      [true, true, true, false],
    )
    await clear(25 * hourMS)
    assert.deepEqual([await isThere(cancelled), await isThere(replaced), await isThere(taken)], [false, false, false])
    const { fileID } = other.body.result.attachments[0]
    assert.equal(await isThere(fileID), true)
    await gateway.chat.db.scheduled.deleteMany({})
  })

  test('must be uploaded by the sender, both when the message is accepted and when it is sent', async () => {
    const ofBob = await newFile(bob.call)
    const ofIntegrator = await newFile(gateway.admin)
    const waiting = (await alice.call('POST', '/files', { ...picture, size: 5 })).body.result.fileID
    refused(await schedule(attaching(ofBob)), 404, 'FILE_NOT_FOUND')
    refused(await schedule(attaching(ofIntegrator)), 404, 'FILE_NOT_FOUND')
    refused(await schedule(attaching(waiting)), 400, 'INVALID_REQUEST')
    const { id } = (await schedule({})).body.result
    refused(await alice.call('PUT', `/scheduled/${id}`, attaching(ofBob)), 404, 'FILE_NOT_FOUND')
    const byKey = { room, sender: 'alice', ...later(attaching(ofIntegrator)) }
    assert.equal((await gateway.admin('POST', '/scheduled', byKey)).status, 200)
    await sendAll()
    assert.equal(await gateway.chat.db.scheduled.countDocuments(), 0)
    const { id: changed } = (await gateway.admin('POST', '/scheduled', byKey)).body.result
    refused(await alice.call('PUT', `/scheduled/${changed}`, attaching(ofIntegrator)), 404, 'FILE_NOT_FOUND')
    refused(await alice.call('PUT', `/scheduled/${changed}`, { message: 'with what was there' }), 404, 'FILE_NOT_FOUND')
    const inTwoDays = { sendAtMS: Date.now() + 48 * hourMS }
    assert.equal((await alice.call('PUT', `/scheduled/${changed}`, inTwoDays)).status, 200)
    assert.equal((await alice.call('PUT', `/scheduled/${changed}`, attaching(await newFile()))).status, 200)
    await alice.call('DELETE', `/scheduled/${changed}`)
    const lost = await newFile()
    await schedule(attaching(lost))
    await gateway.chat.db.files.deleteOne({ _id: key(gateway.app, lost) })
    await sendAll()
    const [failed] = (await alice.call('GET', '/scheduled')).body.result.data
    assert.equal(failed.refused.code, 'FILE_NOT_FOUND')
  })

  test('of a streamed message are available from the start, belong to the robot, and are deleted on recall', async () => {
    const id = await newFile(robot.call)
    const ofIntegrator = await newFile(gateway.admin)
    refused(
      await robot.call('POST', '/messages/stream', { room, ...attaching(await newFile()) }),
      404,
      'FILE_NOT_FOUND',
    )
    refused(await robot.call('POST', '/messages/stream', { room, ...attaching(ofIntegrator) }), 404, 'FILE_NOT_FOUND')
    const byKey = { room, sender: 'robot', ...attaching(ofIntegrator) }
    assert.equal((await gateway.admin('POST', '/messages/stream', byKey)).status, 200)
    const { _id } = (await robot.call('POST', '/messages/stream', { room, ...attaching(id) })).body.result
    assert.equal(await statusFor(bob, id), 200)
    await robot.call('POST', `/messages/${_id}/stream`, { text: 'Look' })
    const ended = (await robot.call('POST', `/messages/${_id}/stream/end`, {})).body.result
    assert.deepEqual([ended.message, ended.attachments[0].fileID], ['Look', id])
    await robot.call('POST', `/rooms/${room}/message`, { _id, messageType: 'recall' })
    assert.equal(await statusFor(bob, id), 404)
    await clear(2 * 60_000)
    assert.equal(await isThere(id), false)
  })
})
