import assert from 'node:assert/strict'
import { sealNext } from '@parley/chat/audit/seal-entries'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'

const secret = 'pass-8c1f'

describe('values of private configuration keys', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  const set = async (body: object) => assert.equal((await gateway.admin('POST', '/config', body)).status, 200)
  const remove = async (key: string) => assert.equal((await gateway.admin('DELETE', `/config/${key}`)).status, 200)
  const latest = async (action: string) => {
    const { before, after } = (await gateway.admin('GET', `/admin/audit?action=${action}&limit=1`)).body.result.data[0]
    return { before, after }
  }

  test('setting privateKeys also hides values set or removed in the same call, in audit log and feed', async () => {
    const smtp = { password: secret }
    await set({ privateKeys: ['smtp'], smtp })
    assert.deepEqual(await latest('setConfig'), {
      before: { privateKeys: null, smtp: null },
      after: { privateKeys: ['smtp'], smtp: '(private)' },
    })
    await set({ privateKeys: [], smtp })
    const noLonger = { privateKeys: [], smtp: '(private)' }
    assert.deepEqual(await latest('setConfig'), {
      before: { privateKeys: ['smtp'], smtp: '(private)' },
      after: noLonger,
    })
    await set({ privateKeys: ['smtp'] })
    await remove('smtp')
    assert.deepEqual(await latest('deleteConfigKey'), { before: { smtp: '(private)' }, after: undefined })
    await assertHidden()
  })

  test('server addresses are hidden even if the app shows them to its users', async () => {
    const url = `https://example.com/?${secret}`
    await set({ privateKeys: [], MODERATE: { url }, webhookKeys: { crm: url }, directory: { url } })
    await set({ MODERATE: null, webhookKeys: {} })
    await remove('directory')
    await assertHidden()
  })

  async function assertHidden() {
    const { chat, app } = gateway
    while (await sealNext(chat, app)) continue
    await chat.outbox.drained()
    for (const path of ['/admin/audit?limit=100', '/admin/events?after=0-0&types=audit&limit=100']) {
      const { status, body, text } = await gateway.admin('GET', path)
      assert.equal(status, 200, text)
      assert.ok(body.result.data.length >= 3, text)
      assert.ok(!text.includes(secret), text)
    }
  }
})
