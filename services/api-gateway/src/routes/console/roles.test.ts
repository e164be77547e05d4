import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clock } from '@parley/async/clock'
import { allOperations } from '@parley/contracts/operations/all'
import { roles, scopesOfRole } from '@parley/contracts/roles'
import type { KeyScope } from '@parley/contracts/scopes'
import { insertApp } from '@parley/db/apps/apps'
import { findAuditEntries } from '@parley/db/audit/audit-log'
import { removeRolesIn } from '@parley/db/operators/operators'
import type { OutgoingCallDoc } from '@parley/db/push/documents'
import { afterAll, beforeAll, describe, onTestFinished, test, vi } from 'vitest'
import { newOperator, pageOf, type TestOperator } from '../../console/test-operator.ts'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'

const reason = { 'parley-reason': encodeURIComponent('Ticket 42: “lost” messages') }
const forKeys = allOperations.filter(({ scope }) => scope !== undefined)
const plain = (path: string) => path.replaceAll(/:\w+/g, 'none')

describe('operators and their roles', () => {
  let gateway: TestGateway
  let owner: TestOperator
  const otherApp = `other ${randomUUID()}`
  beforeAll(async () => {
    gateway = await startTestGateway()
    const secrets = { clientKey: randomUUID(), webhookSecret: 'whsec_' }
    await insertApp(gateway.chat.db, { _id: otherApp, apiKeys: [], createdAt: new Date(), ...secrets })
    owner = await newOperator(gateway, [{ app: '*', role: 'owner' }])
  })
  afterAll(() => gateway.stop())

  const inApp = (app: string) => ({ 'parley-app': encodeURIComponent(app) })
  const allTimes = { sinceMS: 0, untilMS: Number.MAX_SAFE_INTEGER }
  const entriesOf = ({ id }: TestOperator, app = gateway.app) =>
    findAuditEntries(gateway.chat.db, app, { actor: `operator:${id}` }, { ...allTimes, limit: 100 })

  for (const role of roles) {
    test(`a ${role} can call the operations in its scopes; others are 403 PERMISSION_DENIED naming the scope`, async () => {
      const operator = await newOperator(gateway, [{ app: gateway.app, role }])
      const own = scopesOfRole[role]
      for (const { method, path, access, scope = 'all', scopesByKind = {} } of forKeys) {
        const body = method === 'GET' ? undefined : {}
        const { status, text } = await operator.call(method, plain(path), body, reason)
        const opening: readonly KeyScope[] = ['all', scope, ...Object.values(scopesByKind).flat()]
        const lacking = [
          ...(opening.some((one) => own.includes(one)) ? [] : [scope]),
          ...(access === 'platform' && !own.includes('platform') ? ['platform'] : []),
        ]
        assert.equal(status === 403, lacking.length > 0, `${method} ${path}: ${text}`)
        if (status === 403) assert.ok(text.includes(`the operator lacks the scope ${lacking.join(' and ')}`), text)
        assert.notEqual(status, 401, text)
      }
      for (const { method, path } of allOperations.filter(({ access }) => access.startsWith('client'))) {
        if (forKeys.some((one) => one.path === path && one.method === method)) continue
        assert.equal((await operator.call(method, plain(path), method === 'GET' ? undefined : {})).status, 401, path)
      }
      for (const [method, path, body] of [
        ['GET', '/operators'],
        [
          'POST',
          '/operators',
          { email: `${randomUUID()}@example.com`, name: 'x', roles: [{ app: gateway.app, role }] },
        ],
        ['PUT', '/operators/none', {}],
        ['POST', '/operators/none/reset'],
        ['DELETE', '/operators/none'],
      ] as const) {
        const { status } = await operator.call(method, path, body)
        assert.equal(status === 403, role !== 'owner', `${method} ${path}: ${status}`)
      }
      assert.equal((await operator.call('GET', '/operators/audit')).status, 403)
    })
  }

  test('the documentation names the scopes of each role', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../../../docs/reference/console.md'), 'utf8')
    const written = Object.fromEntries(
      [...page.matchAll(/^\| `(\w+)` \| (those of `(\w+)`, and )?(.+?) \|/gm)].map(
        ([, role = '', , base, own = '']) => [role, { base, own: own.match(/[\w:]+/g) }],
      ),
    )
    const scopesIn = (role: string): string[] => {
      const { base, own } = written[role] ?? assert.fail(role)
      return [...(base === undefined ? [] : scopesIn(base)), ...(own ?? [])]
    }
    for (const role of roles) assert.deepEqual(scopesIn(role).toSorted(), scopesOfRole[role].toSorted(), role)
  })

  test('an operator of one app has no access to others, and cannot tell which exist', async () => {
    const operator = await newOperator(gateway, [{ app: gateway.app, role: 'owner' }])
    const { apps } = (await operator.call('GET', '/operator/session')).body.result
    assert.deepEqual(apps, [{ app: gateway.app, role: 'owner', scopes: ['all', 'platform'] }])
    for (const { method, path } of forKeys) {
      const body = method === 'GET' ? undefined : {}
      const { status, text } = await operator.call(method, plain(path), body, { ...reason, ...inApp(otherApp) })
      assert.equal(status, 403, `${method} ${path}: ${text}`)
    }
    const message = async (app: string) =>
      (await operator.call('GET', '/admin/rooms', undefined, inApp(app))).text.replaceAll(app, '')
    assert.equal(await message(otherApp), await message(`none ${randomUUID()}`))
    assert.equal((await owner.call('GET', '/admin/rooms', undefined, inApp(otherApp))).status, 200)
  })

  test('a role for all apps gives no access to an app that does not exist, is being deleted, or is *', async () => {
    const { db } = gateway.chat
    const ending = `ending ${randomUUID()}`
    const createdAt = new Date()
    const secrets = { clientKey: randomUUID(), webhookSecret: 'whsec_' }
    const apiKeys = [{ digest: randomUUID(), permissions: [], createdAt }]
    await insertApp(db, { _id: ending, apiKeys, createdAt, deletingSince: createdAt, ...secrets })
    for (const { method, path } of forKeys) {
      const body = method === 'GET' ? undefined : {}
      const { status, text } = await owner.call(method, plain(path), body, { ...reason, ...inApp('*') })
      assert.equal(status, 403, `${method} ${path}: ${text}`)
    }
    // The log of the app * is that of all operators, which only owners see.
    const developer = await newOperator(gateway, [{ app: '*', role: 'developer' }])
    for (const app of ['*', '', `none ${randomUUID()}`, ending]) {
      for (const operator of [owner, developer]) {
        assert.equal((await operator.call('GET', '/admin/audit', undefined, inApp(app))).status, 403, app)
        const user = { _id: randomUUID(), nickname: 'Ghost' }
        assert.equal((await operator.call('POST', '/admin/clients', user, inApp(app))).status, 403, app)
      }
      assert.equal(await db.users.countDocuments({ app }), 0)
    }
    await db.apps.deleteOne({ _id: ending })
  })

  test('a role for an app overrides one for all apps, and ends with its app', async () => {
    const operator = await newOperator(gateway, [
      { app: '*', role: 'developer' },
      { app: otherApp, role: 'viewer' },
    ])
    assert.equal((await operator.call('GET', '/admin/keys')).status, 200)
    assert.equal((await operator.call('GET', '/admin/keys', undefined, inApp(otherApp))).status, 403)
    await removeRolesIn(gateway.chat.db, otherApp)
    assert.equal((await operator.call('GET', '/admin/keys')).status, 401)
  })

  test('without a Parley-CSRF header, or with a foreign one, everything but GET is 403', async () => {
    const operator = await newOperator(gateway, [{ app: gateway.app, role: 'owner' }])
    const writing = allOperations.filter(
      ({ method, access, scope }) => method !== 'GET' && (scope !== undefined || access === 'operator'),
    )
    for (const csrf of ['', owner.csrf]) {
      for (const { method, path } of writing) {
        const { status, body } = await operator.call(method, plain(path), {}, { ...reason, 'parley-csrf': csrf })
        assert.equal(status, 403, `${method} ${path}`)
        assert.match(body.error.message ?? body.message, /Parley-CSRF/)
      }
    }
    assert.equal((await operator.call('GET', '/admin/rooms', undefined, { 'parley-csrf': '' })).status, 200)
    // Nor can another origin send the header that makes a request an operator's.
    const preflight = await fetch(`${gateway.url}/admin/rooms`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'GET' },
    })
    assert.doesNotMatch(preflight.headers.get('access-control-allow-headers') ?? '', /parley-(?:app|csrf|reason)/i)
    assert.equal(preflight.headers.get('access-control-allow-credentials'), null)
  })

  test('reading conversations needs a reason, which is audited before anything is read', async () => {
    const alice = await gateway.newUser()
    const room = await gateway.newRoom([alice])
    await gateway.admin('POST', '/messages', { room, sender: alice.id, message: 'secret words', messageType: 'text' })
    const support = await newOperator(gateway, [{ app: gateway.app, role: 'support' }])
    const reading = allOperations.filter(({ conversations }) => conversations)
    assert.ok(reading.length >= 8)
    for (const { method, path } of reading) {
      const { status, body } = await owner.call(method, plain(path), method === 'GET' ? undefined : {})
      assert.deepEqual([status, body.error.code], [400, 'MISSING_PARAMETER'], path)
      assert.match(body.error.message, /Parley-Reason/)
      const long = { 'parley-reason': 'x'.repeat(301) }
      assert.equal((await owner.call(method, plain(path), method === 'GET' ? undefined : {}, long)).status, 400)
    }
    const path = `/admin/rooms/${room}/messages`
    const { status, text } = await support.call('GET', path, undefined, reason)
    assert.ok(status === 200 && text.includes('secret words'), text)
    await support.call('GET', `${path}?limit=1`, undefined, reason)
    assert.equal((await support.call('POST', '/admin/search', { room }, reason)).status, 200)
    // The console reads several things at once.
    const again = { 'parley-reason': 'Ticket 43' }
    await Promise.all(Array.from({ length: 3 }, () => support.call('GET', path, undefined, again)))
    const entries = (await entriesOf(support)).map(({ action, subject, after }) => [action, subject, after])
    const [first, second] = ['Ticket 42: “lost” messages', 'Ticket 43'].map((one) => JSON.stringify({ reason: one }))
    assert.deepEqual(entries.toReversed(), [
      ['inspectMessages', `room:${room}`, first],
      ['searchAllMessages', `room:${room}`, first],
      ['inspectMessages', `room:${room}`, second],
    ])
    // Without a reason a room comes without messages, except for a key.
    assert.doesNotMatch((await support.call('GET', `/admin/rooms/${room}`)).text, /secret words/)
    assert.match((await gateway.admin('GET', `/admin/rooms/${room}`)).text, /secret words/)
  })

  test('a reading is one entry per ten minutes, also at several gateways at once', async () => {
    const room = await gateway.newRoom([await gateway.newUser()])
    const support = await newOperator(gateway, [{ app: gateway.app, role: 'support' }])
    const others = [await gateway.another(), await gateway.another()]
    onTestFinished(() => Promise.all(others.map((other) => other.stop())).then(() => undefined))
    const pages = [support, ...others.map((other) => pageOf(other, support.cookie, support.csrf))]
    const read = async () => {
      const path = `/admin/rooms/${room}/messages`
      const answers = pages.flatMap(({ call }) => [call, call].map((one) => one('GET', path, undefined, reason)))
      assert.ok((await Promise.all(answers)).every(({ status }) => status === 200))
    }
    await read()
    await read()
    assert.equal((await entriesOf(support)).length, 1)
    const laterMS = clock.now() + 600_000
    const later = vi.spyOn(clock, 'now').mockImplementation(() => laterMS)
    onTestFinished(() => later.mockRestore())
    await read()
    assert.equal((await entriesOf(support)).length, 2)
  })

  test('lists of webhook calls omit responses for operators, since they can be messages; a call read with a reason has it', async () => {
    const _id = `hook_${randomUUID()}`
    const call = {
      ...{ _id, app: gateway.app, room: 'r', client: '', event: 'MESSAGE', kind: 'webhook', queue: 'q', data: '{}' },
      ...{ target: 'https://example.com', state: 'done', tries: 1, createdAtMS: Date.now() - 1_000 },
      lastTry: { status: 200, answer: 'secret answer', durationMS: 1, atMS: Date.now() },
    }
    await gateway.chat.db.outgoingCalls.insertOne(call as unknown as OutgoingCallDoc)
    const listed = await owner.call('GET', '/admin/webhooks/calls')
    assert.ok(listed.text.includes(_id) && !listed.text.includes('secret answer'), listed.text)
    const read = await owner.call('GET', `/admin/webhooks/calls/${_id}`, undefined, reason)
    assert.match(read.text, /secret answer/)
    assert.match((await gateway.admin('GET', '/admin/webhooks/calls')).text, /secret answer/)
  })

  test('a moderator cannot erase by a decision, nor see reports without a reason', async () => {
    const [bob, alice] = [await gateway.newUser(), await gateway.newUser()]
    const room = await gateway.newRoom([alice, bob])
    const message = { room, sender: bob.id, message: 'secret words', messageType: 'text' }
    const { _id } = (await gateway.admin('POST', '/messages', message)).body.result
    await alice.call('POST', `/messages/${_id}/report`, { reason: 'rude' })
    const moderator = await newOperator(gateway, [{ app: gateway.app, role: 'moderator' }])
    const refused = await moderator.call('GET', `/admin/reports?room=${room}`)
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'MISSING_PARAMETER'])
    const reports = await moderator.call('GET', `/admin/reports?room=${room}`, undefined, reason)
    assert.match(reports.text, /secret words/)
    const [{ id }] = reports.body.result.data
    const decide = (by: TestOperator, decision: string) => by.call('POST', `/admin/reports/${id}/decide`, { decision })
    const denied = await decide(moderator, 'erase')
    assert.equal(denied.status, 403)
    assert.match(denied.body.error.message, /the operator lacks the scope users:write/)
    assert.equal((await gateway.admin('GET', `/admin/clients/${bob.id}`)).status, 200)
    assert.equal((await decide(moderator, 'delete')).status, 200)
    const entries = (await entriesOf(moderator)).map(({ action }) => action)
    assert.deepEqual(entries, ['decideReport', 'listReports'])
  })

  test('the audit log names the operator for changes and for sends in a user’s name', async () => {
    const alice = await gateway.newUser()
    const room = await gateway.newRoom([alice])
    const moderator = await newOperator(gateway, [{ app: gateway.app, role: 'moderator' }])
    const message = { room, sender: alice.id, message: 'x', messageType: 'text' }
    await moderator.call('POST', '/messages', message, reason)
    await moderator.call('POST', '/messages', message, reason)
    const { room: _, ...inRoom } = message
    const written = await moderator.call('POST', `/rooms/${room}/message`, inRoom, reason)
    assert.equal(written.status, 200, written.text)
    const { _id } = written.body.result
    await moderator.call('POST', `/rooms/${room}/message`, { ...inRoom, _id }, reason)
    assert.equal((await moderator.call('PUT', `/rooms/${room}`, { status: 0 })).status, 200)
    const entries = await entriesOf(moderator)
    assert.deepEqual(
      entries.map(({ action, subject, actorName, address }) => [action, subject, actorName, address]).toReversed(),
      [
        ['sendMessage', `room:${room}`, moderator.email, '127.0.0.1'],
        ['sendMessage', `room:${room}`, moderator.email, '127.0.0.1'],
        ['writeMessage', `room:${room}`, moderator.email, '127.0.0.1'],
        // The answer to an edit can quote a message, so it is a reading too.
        ['writeMessage', `room:${room}`, moderator.email, '127.0.0.1'],
        ['writeMessage', `message:${_id}`, moderator.email, '127.0.0.1'],
        ['updateRoom', `room:${room}`, moderator.email, '127.0.0.1'],
      ],
    )
  })

  test('a developer’s new API keys have no more rights than the developer', async () => {
    const developer = await newOperator(gateway, [{ app: gateway.app, role: 'developer' }])
    for (const scopes of [['all'], ['messages:read'], ['config:read', 'users:write']]) {
      assert.equal((await developer.call('POST', '/admin/keys', { name: randomUUID(), scopes })).status, 403)
    }
    const made = await developer.call('POST', '/admin/keys', { name: randomUUID(), scopes: ['config:write'] })
    assert.deepEqual([made.status, made.body.result.scopes], [200, ['config:write']])
    assert.equal((await owner.call('POST', '/admin/keys', { name: randomUUID(), scopes: ['all'] })).status, 200)
  })

  test('an owner of one app can manage its operators, and no others', async () => {
    const ofApp = await newOperator(gateway, [{ app: gateway.app, role: 'owner' }])
    const mine = { app: gateway.app, role: 'viewer' }
    const hidden = { app: otherApp, role: 'support' }
    const both = await newOperator(gateway, [mine, hidden] as Parameters<typeof newOperator>[1])
    const others = await newOperator(gateway, [hidden] as Parameters<typeof newOperator>[1])
    const email = `${randomUUID()}@example.com`
    for (const roles of [[{ app: '*', role: 'viewer' }], [hidden], [mine, hidden]]) {
      assert.equal((await ofApp.call('POST', '/operators', { email, name: 'x', roles })).status, 403)
    }
    const added = await ofApp.call('POST', '/operators', { email: email.toUpperCase(), name: 'x', roles: [mine] })
    assert.deepEqual([added.status, added.body.result.email], [200, email])
    const again = await ofApp.call('POST', '/operators', { email, name: 'x', roles: [mine] })
    assert.equal(again.body.error.code, 'CONFLICT')
    const listed = (await ofApp.call('GET', '/operators?limit=100')).body.result.data as {
      id: string
      roles: object[]
    }[]
    assert.ok(!listed.some(({ id }) => id === others.id || id === owner.id))
    const { body: refused } = await ofApp.call('GET', '/operators?cursor=x')
    assert.deepEqual(
      [refused.error.code, refused.error.message],
      ['INVALID_QUERY', 'cursor: expected the cursor of a page'],
    )
    assert.deepEqual(listed.find(({ id }) => id === both.id)?.roles, [mine])
    for (const [method, path, body] of [
      ['PUT', `/operators/${both.id}`, { roles: [mine, { app: otherApp, role: 'owner' }] }],
      ['PUT', `/operators/${both.id}`, { roles: [{ app: '*', role: 'owner' }] }],
      ['PUT', `/operators/${both.id}`, { name: 'Mallory' }],
      ['POST', `/operators/${both.id}/reset`],
      ['DELETE', `/operators/${both.id}`],
    ] as const) {
      assert.equal((await ofApp.call(method, path, body)).status, 403, JSON.stringify(body))
    }
    for (const method of ['PUT', 'DELETE'] as const) {
      assert.equal((await ofApp.call(method, `/operators/${others.id}`, {})).status, 404)
    }
    const role = 'moderator'
    assert.equal((await ofApp.call('PUT', `/operators/${both.id}`, { roles: [{ ...mine, role }] })).status, 200)
    const seenByAll = (await owner.call('GET', '/operators?limit=100')).body.result.data as {
      id: string
      roles: object[]
    }[]
    assert.deepEqual(seenByAll.find(({ id }) => id === both.id)?.roles, [{ ...mine, role }, hidden])
    const entry = (await entriesOf(ofApp)).find(({ action }) => action === 'changeOperator')
    assert.equal(entry?.subject, `operator:${both.id}`)
    assert.deepEqual(await entriesOf(ofApp, otherApp), [])
    const log = (await owner.call('GET', `/operators/audit?subject=operator:${both.id}`)).body.result.data
    assert.deepEqual(
      log.map(({ action }: { action: string }) => action),
      ['changeOperator', 'signIn', 'addOperator'],
    )
    assert.doesNotMatch(JSON.stringify(log), /ol_|os_|argon2/)
  })

  test('an operator has at most 100 roles, including those hidden from the caller', async () => {
    const second = { app: otherApp, role: 'viewer' } as const
    const elsewhere = Array.from({ length: 99 }, (_, i) => ({ app: `elsewhere ${i}`, role: 'viewer' as const }))
    const full = await newOperator(gateway, [second, ...elsewhere])
    const both = [second, { app: gateway.app, role: 'viewer' as const }]
    const ofBoth = await newOperator(
      gateway,
      both.map(({ app }) => ({ app, role: 'owner' as const })),
    )
    const refused = await ofBoth.call('PUT', `/operators/${full.id}`, { roles: both })
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'INVALID_REQUEST'], refused.text)
    assert.match(refused.text, /roles: at most 100/)
    // One who has more all the same, such as by a claim of the provider, is listed like the others.
    await gateway.chat.db.operators.updateOne({ _id: full.id }, { $set: { roles: [...both, ...elsewhere] } })
    const { status, body } = await owner.call('GET', '/operators?limit=100')
    const found = (body.result?.data as { id: string; roles: object[] }[] | undefined)?.find(({ id }) => id === full.id)
    assert.deepEqual([status, found?.roles.length], [200, 101])
  })
})
