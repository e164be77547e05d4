import assert from 'node:assert/strict'
import { sendDue } from '@parley/chat/messages/send-scheduled'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { type Answer, startWithAlice, type TestGateway, type TestUser } from '../test-gateway.ts'

/** Numbers that a double would change, in value or in form. */
const numbers =
  '[9007199254740993,-12345678901234567890,0.1234567890123456789,1e400,-1E-999,-0,-0.0,1.0,1.50,1e5,{"a":[100000000000000000000.0]}]'
/** Content with a text in which the same digits stay as they are. */
const content = `{"text":"pay 1.0 -0","of":${numbers},"__proto__":{"n":2.0}}`

describe('numbers in free JSON come back digit for digit', () => {
  let gateway: TestGateway
  let alice: TestUser
  let room: string
  beforeAll(async () => {
    ;({ gateway, alice, room } = await startWithAlice())
  })
  afterAll(async () => {
    await gateway.chat.jobs.stop()
    await gateway.stop()
  })

  const message = (more = '') => `{"room":"${room}","messageType":"text","message":${content}${more}}`
  function keeps({ status, text }: Answer, json: string, times = 1): void {
    assert.equal(status, 200, text)
    assert.equal(text.split(json).length - 1, times, text)
  }
  const sent = async (more = ''): Promise<string> => {
    const answer = await alice.call('POST', `/rooms/${room}/message`, message(more).replace(`"room":"${room}",`, ''))
    keeps(answer, `"message":${content}`)
    return answer.body.result._id
  }
  const history = () => alice.call('GET', `/rooms/${room}/messages/v3?limit=1`)

  for (const json of ['12345678901234567890', '1.0', '-0', '1e400', numbers, content]) {
    test(`in a message ${json.slice(0, 30)}: in the response, the history, the list of rooms and the event`, async () => {
      const heard = await gateway.hear()
      const body = `{"room":"${room}","sender":"alice","messageType":"text","message":${json}}`
      keeps(await gateway.admin('POST', '/messages', body), `"message":${json}`)
      keeps(await history(), `"message":${json}`)
      await gateway.chat.flusher.drained()
      keeps(await history(), `"message":${json}`)
      keeps(await alice.call('GET', '/rooms'), `"message":${json}`)
      const { incoming } = await heard.next('chat message')
      assert.ok(Buffer.from(incoming.data).includes(`"message":${json}`))
    })
  }

  test('in an edited, pinned or threaded message, and in the result of a repeated send', async () => {
    const id = await sent()
    const edit = await alice.call('POST', `/rooms/${room}/message`, `{"_id":"${id}","message":[2.0,${content}]}`)
    keeps(edit, `"message":[2.0,${content}]`)
    keeps(await alice.call('POST', `/messages/${id}/pin`), `"message":[2.0,${content}]`)
    keeps(await alice.call('GET', `/rooms/${room}/pins`), `"message":[2.0,${content}]`)
    const reaction = await alice.call('POST', `/messages/${id}/reaction`, { reaction: '+' })
    keeps(reaction, `"message":[2.0,${content}]`)
    await sent(`,"replyTo":"${id}","thread":true`)
    keeps(await alice.call('GET', `/messages/${id}/thread`), `"message":${content}`)
    assert.equal(await sent(',"clientMessageID":"once"'), await sent(',"clientMessageID":"once"'))
  })

  test('in a censored or reported message', async () => {
    await gateway.admin('POST', '/config', { censorship: { keywords: ['pay'] } })
    const masked = content.replace('pay', '***')
    const answer = await gateway.admin('POST', '/messages', message(',"sender":"alice"'))
    keeps(answer, `"message":${masked}`)
    await gateway.admin('DELETE', '/config/censorship')
    const bob = await gateway.newUser('bob')
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: ['bob'] })
    assert.equal((await bob.call('POST', `/messages/${answer.body.result._id}/report`, { reason: 'no' })).status, 200)
    keeps(await gateway.admin('GET', '/admin/reports'), `"message":${masked}`)
  })

  test('in a scheduled message', async () => {
    const body = message(`,"sendAtMS":${Date.now() + 3_600_000}.0`)
    const scheduled = await alice.call('POST', '/scheduled', body)
    keeps(scheduled, `"message":${content}`)
    keeps(await alice.call('GET', '/scheduled'), `"message":${content}`)
    const { id } = scheduled.body.result
    keeps(await alice.call('PUT', `/scheduled/${id}`, `{"message":[3.0]}`), '"message":[3.0]')
    const due = { $set: { nextMS: Date.now() } }
    await gateway.chat.db.scheduled.updateMany({ nextMS: { $exists: true } }, due)
    await sendDue(gateway.chat)
    keeps(await history(), '"message":[3.0]')
  })

  test('in a batch, also as a job', async () => {
    await gateway.newUser('carol')
    const batch = `{"sender":"alice","messageType":"text","message":${content},"paras":[{"room":"${room}"},{"receiver":"carol"}]}`
    keeps(await gateway.admin('POST', '/messages/batch', batch), `"message":${content}`, 2)
    gateway.chat.jobs.afterMS = 0
    const { job } = (await gateway.admin('POST', '/messages/batch', batch)).body.result
    const done = await vi.waitUntil(
      async () => {
        const answer = await gateway.admin('GET', `/admin/jobs/${job}`)
        return answer.body.result.state === 'running' ? undefined : answer
      },
      { timeout: 100_000, interval: 20 },
    )
    gateway.chat.jobs.afterMS = 60_000
    keeps(done, `"message":${content}`, 2)
    keeps(await history(), `"message":${content}`)
  })

  test('at the end of a streamed message', async () => {
    const robot = await gateway.newUser('robot', { isRobot: true })
    const own = await gateway.newRoom([robot])
    const { _id } = (await robot.call('POST', '/messages/stream', { room: own })).body.result
    const end = () => robot.call('POST', `/messages/${_id}/stream/end`, `{"message":${content}}`)
    keeps(await end(), `"message":${content}`)
    keeps(await end(), `"message":${content}`)
    keeps(await robot.call('GET', `/rooms/${own}/messages/v3`), `"message":${content}`)
  })

  test('in extParams of a room', async () => {
    const heard = await gateway.hear()
    const made = await gateway.admin(
      'POST',
      '/rooms/',
      `{"roomType":"group","members":["alice"],"slowModeS":1.0,"extParams":${content}}`,
    )
    keeps(made, `"extParams":${content}`)
    assert.equal(made.body.result.slowModeS, 1)
    const { _id } = made.body.result
    const payload = async () => Buffer.from((await heard.next('room')).incoming.data).toString()
    assert.ok((await payload()).includes(`"extParams":${content}`))
    keeps(await alice.call('GET', `/rooms/${_id}`), `"extParams":${content}`)
    keeps(await alice.call('GET', '/rooms'), `"extParams":${content}`)
    keeps(await gateway.admin('PUT', `/rooms/${_id}`, '{"extParams":{"n":4.0}}'), '"extParams":{"n":4.0}')
    keeps(await gateway.admin('PUT', `/rooms/${_id}`, { name: 'x' }), '"extParams":{"n":4.0}')
  })

  test('in configuration values, where known keys are read as numbers', async () => {
    keeps(await gateway.admin('POST', '/config', `{"n":${content},"one":1.0}`), `"n":${content},"one":1.0`)
    keeps(await alice.call('GET', '/config'), `"n":${content},"one":1.0`)
    keeps(await gateway.admin('POST', '/config', '{"delivered":{"maxMembers":5.0}}'), '"maxMembers":5.0')
  })

  test('in preferences, in their event and in GET /me/changes', async () => {
    const since = (await alice.call('GET', '/me/changes?since=0')).body.error?.oldest
    const heard = await gateway.hear()
    keeps(await alice.call('POST', '/me/pref/n', `{"data":${content}}`), `"data":${content}`)
    keeps(await alice.call('GET', '/me/pref'), `"n":${content}`)
    const { incoming } = await heard.next('myPrefChange')
    assert.ok(Buffer.from(incoming.data).includes(`"data":${content}`))
    keeps(await alice.call('GET', `/me/changes?since=${since}`), `"n":${content}`)
  })

  test("in the integrator's feed", async () => {
    const { cursor } = (await gateway.admin('GET', '/admin/events')).body.result
    await sent()
    keeps(await gateway.admin('GET', `/admin/events?after=${cursor}&wait=20`), `"message":${content}`)
  })

  test('known numeric fields accept any notation; wrong values are refused', async () => {
    await sent(',"expiresInS":6e1')
    for (const [more, code] of [
      [',"expiresInS":60.5', 'INVALID_REQUEST'],
      [',"expiresInS":1e400', 'INVALID_REQUEST'],
      [',"expiresInS":12345678901234567890', 'INVALID_REQUEST'],
      [',"push":1.0', 'INVALID_REQUEST'],
      [',"clientMessageID":1.0', 'INVALID_REQUEST'],
      [',"sender":1.0', 'INVALID_REQUEST'],
    ] as const) {
      const { status, body } = await gateway.admin('POST', '/messages', message(`,"sender":"alice"${more}`))
      assert.deepEqual([status, body.error?.code], [400, code], more)
    }
    for (const json of ['1.0', '-0', '[1.0]', '12345678901234567890']) {
      assert.equal((await gateway.admin('POST', '/config', json)).status, 400)
      assert.equal((await gateway.admin('PUT', `/rooms/${room}`, `{"extParams":${json}}`)).status, 400)
      assert.equal((await alice.call('POST', `/roomPrefs/${room}`, `{"tagColors":${json}}`)).status, 400)
      assert.equal((await gateway.admin('POST', '/messages', json)).status, 400)
    }
  })
})
