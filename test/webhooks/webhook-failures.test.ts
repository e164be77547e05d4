import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { eventually, type RunningService } from '../platform.ts'
import { callTimeoutMS, startWebhookPlatform, type WebhookPlatform } from './test-webhooks.ts'

const retryMS = 8_000
const env = { PARLEY_PUSH_CALL_TIMEOUT_MS: String(callTimeoutMS), PARLEY_PUSH_CALL_RETRY_MS: String(retryMS) }

describe('a failing webhook', () => {
  let platform: WebhookPlatform
  let alice: string
  let bob: string
  let push: RunningService

  beforeAll(async () => {
    platform = await startWebhookPlatform()
    push = await platform.startPush(env)
    alice = await platform.newUser([], { nickname: 'Alice' })
    bob = await platform.newUser()
  })
  afterAll(() => platform.stop())
  beforeEach(() => {
    platform.hooks.behave = () => undefined
  })

  const newRoom = (fields?: object) => platform.newHookedRoom([alice, bob], fields)
  test('makes refused and permanently failed calls dead letters, which an admin can retry; later calls continue', async () => {
    const { room, calls } = await newRoom()
    await eventually('the room', () => calls().length === 1)
    const mine = (path: string) => path === calls()[0]?.path
    platform.hooks.behave = ({ path, body }) => {
      if (!mine(path)) return undefined
      return { refuse: { status: 404 }, fail: { status: 503 } }[String(body.data.message)]
    }
    await platform.send(room, alice, { message: 'refuse' })
    await platform.send(room, alice, { message: 'fail' })
    // Calls that have waited as long are given up too, so send the next one later.
    const tries = () => calls().filter(({ body }) => body.data.message === 'fail').length
    await eventually('it was tried', async () => tries() >= 3 || (await platform.failedCalls(room)).length === 2)
    await platform.send(room, alice, { message: 'good' })
    await eventually('the one after them', () => calls().at(-1)?.body.data.message === 'good')
    const letters = await platform.failedCalls(room)
    assert.deepEqual(
      letters.map(({ lastError, data }) => [lastError, data.message]),
      [
        ['503', 'fail'],
        ['404', 'refuse'],
      ],
    )
    assert.equal(letters[1]?.tries, 1)
    assert.equal(letters[0]?.tries, tries())

    platform.hooks.behave = () => undefined
    for (const { id } of letters) await platform.admin('POST', `/admin/webhooks/failed/${id}/retry`)
    const taken = () => calls().filter(({ status }) => status === 200)
    await eventually('both', () => taken().length === 4)
    const replayed = taken().slice(-2)
    assert.deepEqual(
      new Set(replayed.map(({ headers }) => headers['webhook-id'])),
      new Set(letters.map(({ id }) => id)),
    )
    assert.deepEqual(new Set(replayed.map(({ body }) => body.data.message)), new Set(['refuse', 'fail']))
    assert.deepEqual(await platform.failedCalls(room), [])
  })

  test('at a changed URL gets waiting calls at the current URL; without a URL they are given up', async () => {
    const { room, path, calls } = await newRoom()
    platform.hooks.behave = (one) => (one.path === path ? { status: 503 } : undefined)
    await platform.send(room, alice)
    await eventually('a try', () => calls().length > 0)
    const setKey = (at: string) => platform.admin('POST', '/config', { webhookKeys: { crm: at } })
    await setKey(`${platform.hooks.url}${path}`)
    await platform.admin('PUT', `/rooms/${room}`, { webhook: 'crm' })
    await setKey(`${platform.hooks.url}/moved`)
    await eventually('it is called at the new URL', () =>
      platform.hooks.calls.some((one) => one.path === '/moved' && one.body.roomID === room),
    )
    platform.hooks.behave = (one) => (one.path === '/moved' ? { status: 503 } : undefined)
    await platform.send(room, alice)
    await platform.admin('POST', '/config', { webhookKeys: {} })
    await eventually('it is a dead letter', async () => (await platform.failedCalls(room)).length > 0)
    const reasons = (await platform.failedCalls(room)).map(({ lastError }) => lastError)
    assert.deepEqual(new Set(reasons), new Set(['the room no longer has a webhook']))
  })

  test('with user and password in its URL gets Basic authorization', async () => {
    const withUser = platform.hooks.url.replace('//', '//parley:pa%20ss@')
    const { room } = await newRoom({ webhook: `${withUser}/basic` })
    const theirs = () => platform.hooks.calls.filter(({ body }) => body.roomID === room)
    await eventually('the call', () => theirs().length > 0)
    assert.equal(theirs()[0]?.headers['authorization'], `Basic ${btoa('parley:pa ss')}`)
  })

  test('with too large a response accepts or refuses the call by its status', async () => {
    const { room, path, calls } = await newRoom()
    const body = 'x'.repeat(300 * 1024)
    platform.hooks.behave = (one) => {
      if (one.path !== path) return undefined
      return { refuse: { status: 404, body }, accept: { body } }[String(one.body.data.message)]
    }
    for (const message of ['accept', 'refuse', 'last']) await platform.send(room, alice, { message })
    await eventually('the last one', () => calls().some(({ body: { data } }) => data.message === 'last'))
    assert.deepEqual(
      calls().flatMap(({ body: { data } }) => data.message ?? []),
      ['accept', 'refuse', 'last'],
    )
    await eventually('the refused one is a dead letter', async () => {
      const letters = await platform.failedCalls(room)
      return letters.map(({ lastError, data }) => `${lastError} ${String(data.message)}`).join() === '404 refuse'
    })
  })

  test('with a Retry-After beyond the retry period delays later calls no longer than that', async () => {
    const { room, calls } = await newRoom()
    platform.hooks.behave = ({ body: { data } }) =>
      data.message === 'busy' ? { status: 503, headers: { 'retry-after': '100000' } } : undefined
    await platform.send(room, alice, { message: 'busy' })
    await eventually('it is given up', async () => (await platform.failedCalls(room)).length === 1)
    await platform.send(room, alice, { message: 'good' })
    await eventually('the one after it', () => calls().at(-1)?.body.data.message === 'good')
    assert.equal(calls().filter(({ body: { data } }) => data.message === 'busy').length, 2, 'the last try at the end')
  })

  test('that fails once after calls waited behind slow responses still accepts all of them in order', async () => {
    const { room, path, calls } = await newRoom()
    const held = await platform.holdCalls(room)
    const messages = Array.from({ length: 14 }, (_, i) => `message ${i}`)
    for (const message of messages) await platform.send(room, alice, { message })
    await held.pile('MESSAGE', messages.length, 2 * retryMS)
    let hasFailed = false
    platform.hooks.behave = (one) => {
      if (one.path !== path || one.body.data.message !== messages[9] || hasFailed) return undefined
      hasFailed = true
      return { status: 503 }
    }
    // The first success ends the earlier long failure.
    await held.release({ failures: 3, failingSinceMS: Date.now() - 2 * retryMS })
    const accepted = () =>
      calls().flatMap(({ status, body }) => (status === 200 && body.event === 'MESSAGE' ? body.data.message : []))
    await eventually('the last one, or they are given up', async () => {
      return accepted().at(-1) === messages.at(-1) || (await platform.failedCalls(room)).length > 0
    })
    assert.deepEqual(await platform.failedCalls(room), [])
    assert.deepEqual(accepted(), messages)
  })

  test('for the whole retry period gives up calls that waited as long together with the first', async () => {
    platform.hooks.behave = ({ body }) => (body.event === 'MESSAGE' ? { status: 503 } : undefined)
    const { room } = await newRoom()
    const held = await platform.holdCalls(room)
    for (const message of ['one', 'two']) await platform.send(room, alice, { message })
    await held.pile('MESSAGE', 2, 2 * retryMS)
    await held.release({ failures: 3, failingSinceMS: Date.now() - 2 * retryMS })
    await eventually('both are given up', async () => (await platform.failedCalls(room)).length === 2)
    assert.deepEqual(new Set((await platform.failedCalls(room)).map(({ tries }) => tries)), new Set([0, 1]))
  })

  test('never gets the text of a message that was deleted while its call waited', async () => {
    const { room, calls } = await newRoom()
    const held = await platform.holdCalls(room)
    await platform.send(room, alice, { message: 'one' })
    const two = await platform.send(room, alice, { message: 'a secret' })
    await platform.send(room, bob, { message: 'three', replyTo: two })
    await held.pile('MESSAGE', 3, 2_000)
    await platform.admin('DELETE', `/rooms/${room}/messages/${two}`)
    await held.pile('MESSAGE_DELETED', 1, 0)
    await held.release()
    await eventually('the deletion', () => calls().at(-1)?.body.event === 'MESSAGE_DELETED')
    const [one, deleted, three] = calls().flatMap(({ body }) => (body.event === 'MESSAGE' ? body.data : []))
    assert.deepEqual([one.message, three.message, three.replyTo._id], ['one', 'three', two])
    assert.deepEqual([deleted._id, deleted.isDeleted], [two, true])
    assert.ok(calls().every(({ text }) => !text.includes('a secret')))
  })

  test('gets nothing of messages deleted, or users erased, while no process ran', async () => {
    const mallory = await platform.newUser([], { nickname: 'Mallory' })
    const { room, calls } = await platform.newHookedRoom([alice, mallory])
    await eventually('the room', () => calls().length === 1)
    await push.stop()
    const deleted = await platform.send(room, alice, { message: 'a secret' })
    await platform.send(room, mallory, { message: 'what stays' })
    const sentMS = Date.now()
    await platform.admin('DELETE', `/rooms/${room}/messages/${deleted}`)
    await platform.admin('DELETE', `/admin/clients/${mallory}`)
    await eventually('they have waited', () => Date.now() > sentMS + 1_000)
    platform.hooks.behave = () => undefined
    push = await platform.startPush(env)
    const messages = () => calls().flatMap(({ body }) => (body.event === 'MESSAGE' ? body.data : []))
    await eventually('both', () => messages().length === 2)
    const [first, second] = messages()
    assert.deepEqual([first._id, first.isDeleted, 'message' in first], [deleted, true, false])
    assert.deepEqual([second.message, second.sender._id, second.sender.nickname], ['what stays', mallory, ''])
  })

  test('is retried after a timeout, with the same webhook-id and data, even after an edit', async () => {
    await push.stop()
    push = await platform.startPush({ PARLEY_PUSH_CALL_TIMEOUT_MS: '1000' })
    const { room, path, calls } = await newRoom()
    await eventually('the room', () => calls().some(({ status }) => status === 200))
    let hung = false
    platform.hooks.behave = (one) => {
      if (one.path !== path || one.body.event !== 'MESSAGE' || hung) return undefined
      hung = true
      return 'hang'
    }
    // Sends a message of a type named recall; it does not recall anything.
    const _id = await platform.send(room, alice, { messageType: 'recall' })
    await eventually('the first try', () => hung)
    await platform.admin('POST', `/rooms/${room}/message`, { _id, sender: alice, message: 'edited' })
    const tries = () => calls().filter(({ body }) => body.event === 'MESSAGE')
    await eventually('a try that is answered', () => tries().some(({ status }) => status === 200))
    assert.equal(tries()[0]?.status, undefined, 'the first got no response')
    assert.equal(new Set(tries().map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.equal(new Set(tries().map(({ text }) => text)).size, 1)
  })
})
