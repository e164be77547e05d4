import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { allOperations } from '@parley/contracts/operations/all'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { newAuthenticator } from '../../console/test-authenticator.ts'
import { cookieIn, newOperator, pageOf, type TestOperator } from '../../console/test-operator.ts'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'

const password = 'a long pass phrase'
/** They give a challenge, and change nothing. */
const notChanging = ['startPasskey', 'startPasskeySignIn']

describe('changes that operators make to accounts', () => {
  let gateway: TestGateway
  let owner: TestOperator
  beforeAll(async () => {
    gateway = await startTestGateway()
    owner = await newOperator(gateway, [{ app: '*', role: 'owner' }])
  })
  afterAll(() => gateway.stop())

  const newViewer = () => newOperator(gateway, [{ app: gateway.app, role: 'viewer' }])
  const code = (secret: string, atMS: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: atMS })

  async function withTotp() {
    const operator = await newViewer()
    const { secret } = (await operator.call('POST', '/operator/totp', {})).body.result
    await operator.call('POST', '/operator/totp', { code: code(secret, Date.now()) })
    // A code is taken once. That of the next period is accepted already.
    return { operator, code: () => code(secret, Date.now() + 30_000) }
  }

  async function withPasskey() {
    const operator = await newViewer()
    const { challenge, rp, user } = (await operator.call('POST', '/operator/passkeys/challenge')).body.result.options
    const userHandle = Buffer.from(user.id, 'base64url').toString()
    const authenticator = newAuthenticator({ id: rp.id, origin: new URL(gateway.url).origin }, userHandle)
    const body = { name: 'Laptop', credential: authenticator.create(challenge) }
    const add = () => operator.call('POST', '/operator/passkeys', body)
    return { operator, authenticator, add }
  }

  /** Each operation once; the operator whom its entry is about. */
  const changes: Record<string, { action?: string; by?: string; run: () => Promise<{ id: string; answer: Answer }> }> =
    {
      signIn: {
        by: 'password',
        run: async () => {
          const { id, email, call } = await newViewer()
          await call('POST', '/operator/password', { password })
          return { id, answer: await gateway.anonymous('POST', '/operator/session', { email, password }) }
        },
      },
      signInByLink: {
        action: 'signIn',
        by: 'link',
        run: async () => ({ id: (await newViewer()).id, answer: { status: 200 } as Answer }),
      },
      signInByPasskey: {
        action: 'signIn',
        by: 'passkey',
        run: async () => {
          const { operator, authenticator, add } = await withPasskey()
          await add()
          const begun = await gateway.anonymous('POST', '/operator/passkey/challenge')
          const credential = authenticator.get(begun.body.result.options.challenge)
          return { id: operator.id, answer: await gateway.anonymous('POST', '/operator/passkey', { credential }) }
        },
      },
      signOut: {
        run: async () => {
          const { id, call } = await newViewer()
          return { id, answer: await call('DELETE', '/operator/session') }
        },
      },
      endSession: {
        run: async () => {
          const { id, call, email } = await newViewer()
          const changed = await call('POST', '/operator/password', { password })
          const page = pageOf(gateway, cookieIn(changed.headers), changed.body.result.csrfToken)
          await gateway.anonymous('POST', '/operator/session', { email, password })
          const { data } = (await page.call('GET', '/operator/sessions')).body.result
          const other = data.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
          return { id, answer: await page.call('DELETE', `/operator/sessions/${other.id}`) }
        },
      },
      changePassword: {
        run: async () => {
          const { id, call } = await newViewer()
          return { id, answer: await call('POST', '/operator/password', { password }) }
        },
      },
      setUpTotp: { run: async () => ({ id: (await withTotp()).operator.id, answer: { status: 200 } as Answer }) },
      renewRecoveryCodes: {
        run: async () => {
          const { operator, code: now } = await withTotp()
          return { id: operator.id, answer: await operator.call('POST', '/operator/recovery-codes', { code: now() }) }
        },
      },
      removeTotp: {
        run: async () => {
          const { operator, code: now } = await withTotp()
          return { id: operator.id, answer: await operator.call('DELETE', '/operator/totp', { code: now() }) }
        },
      },
      addPasskey: {
        run: async () => {
          const { operator, add } = await withPasskey()
          return { id: operator.id, answer: await add() }
        },
      },
      renamePasskey: {
        run: async () => {
          const { operator, add } = await withPasskey()
          const { id } = (await add()).body.result
          return { id: operator.id, answer: await operator.call('PUT', `/operator/passkeys/${id}`, { name: 'Phone' }) }
        },
      },
      removePasskey: {
        run: async () => {
          const { operator, add } = await withPasskey()
          const { id } = (await add()).body.result
          return { id: operator.id, answer: await operator.call('DELETE', `/operator/passkeys/${id}`) }
        },
      },
      addOperator: {
        run: async () => {
          const roles = [{ app: gateway.app, role: 'viewer' }]
          const body = { email: `${randomUUID()}@example.com`, name: 'x', roles }
          const answer = await owner.call('POST', '/operators', body)
          return { id: answer.body.result.id, answer }
        },
      },
      changeOperator: {
        run: async () => {
          const { id } = await newViewer()
          return { id, answer: await owner.call('PUT', `/operators/${id}`, { name: 'y' }) }
        },
      },
      resetOperator: {
        run: async () => {
          const { id } = await newViewer()
          return { id, answer: await owner.call('POST', `/operators/${id}/reset`) }
        },
      },
      removeOperator: {
        run: async () => {
          const { id } = await newViewer()
          return { id, answer: await owner.call('DELETE', `/operators/${id}`) }
        },
      },
    }

  test('covers every operation that changes something', () => {
    const changing = allOperations.filter(({ tag, method }) => tag === 'Console' && method !== 'GET')
    assert.deepEqual(changing.map(({ id }) => id).toSorted(), [...Object.keys(changes), ...notChanging].toSorted())
  })

  for (const [operation, { action = operation, by, run }] of Object.entries(changes)) {
    test(`${operation} leaves an entry without secrets`, async () => {
      const { id, answer } = await run()
      assert.equal(answer.status, 200, answer.text)
      const found = await gateway.chat.db.audit.find({ app: '*', action, subject: `operator:${id}` }).toArray()
      const ways = found.map(({ after }) => (JSON.parse(after ?? '{}') as { by?: string }).by)
      assert.ok(
        ways.some((way) => by === undefined || way === by),
        `${operation}: ${ways.join()}`,
      )
      assert.ok(!JSON.stringify(found).includes(password))
      assert.ok(found.every(({ actor }) => /^(?:operator|command):/.test(actor)))
    })
  }

  test('an already ended session leaves none', async () => {
    const { id, call } = await newViewer()
    assert.equal((await call('DELETE', '/operator/sessions/0123456789abcdef')).body.error.code, 'SESSION_NOT_FOUND')
    assert.equal(
      await gateway.chat.db.audit.countDocuments({ app: '*', action: 'endSession', subject: `operator:${id}` }),
      0,
    )
  })
})

type Answer = Awaited<ReturnType<TestGateway['anonymous']>>
