import assert from 'node:assert/strict'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { createIssuerKeys } from './issuer-keys.ts'

const issuer = {
  issuer: 'https://login.example',
  audience: 'chat',
  jwksUrl: 'https://login.example/keys',
  algorithm: 'RS256',
  claims: { user: 'sub', name: 'name', picture: 'picture' },
  createUsers: false,
} as const

describe('keys of a token issuer', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  async function newKey(kid?: string) {
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    const id = kid === undefined ? {} : { kid }
    const jwk = { ...(await exportJWK(publicKey)), ...id }
    return { jwk, token: await new SignJWT({}).setProtectedHeader({ alg: 'RS256', ...id }).sign(privateKey) }
  }
  function server(first: object[]) {
    const served = { keys: first, isAway: false, reads: 0 }
    const get = async () => {
      served.reads++
      if (served.isAway) throw new Error('status 503')
      return JSON.stringify({ keys: served.keys })
    }
    const keys = createIssuerKeys({ calls: { get }, log: { warn: () => undefined } as never })
    const verify = (token: string) => keys.verify(token, issuer)
    const verifies = (token: string) =>
      verify(token).then(
        () => true,
        () => false,
      )
    return { served, verify, verifies }
  }
  const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)

  test('are read once for concurrent tokens, and again after ten minutes', async () => {
    const one = await newKey('one')
    const { served, verifies } = server([one.jwk])
    assert.deepEqual(await Promise.all(Array.from({ length: 20 }, () => verifies(one.token))), Array(20).fill(true))
    assert.equal(served.reads, 1)
    pass(9 * 60_000)
    await verifies(one.token)
    assert.equal(served.reads, 1)
    pass(2 * 60_000)
    await verifies(one.token)
    assert.equal(served.reads, 2)
  })

  test('rotate: new keys are found on first use, removed keys are refused, unknown IDs cause few reads', async () => {
    const [one, two, forged] = [await newKey('one'), await newKey('two'), await newKey('three')]
    const { served, verifies } = server([one.jwk])
    assert.ok(await verifies(one.token))
    pass(60_000)
    served.keys = [two.jwk]
    assert.ok(await verifies(two.token))
    assert.equal(await verifies(one.token), false)
    const { reads } = served
    for (let i = 0; i < 50; i++) assert.equal(await verifies(forged.token), false)
    assert.equal(served.reads, reads)
    pass(31_000)
    await verifies(forged.token)
    assert.equal(served.reads, reads + 1)
  })

  test('rotate under one ID: a wrong signature reads the keys again, at most every 30 s', async () => {
    const [before, after] = [await newKey('one'), await newKey('one')]
    const { served, verify, verifies } = server([before.jwk])
    assert.ok(await verifies(before.token))
    served.keys = [after.jwk]
    assert.equal(await verifies(after.token), false)
    assert.equal(served.reads, 1)
    pass(31_000)
    assert.deepEqual(await Promise.all([verifies(after.token), verifies(after.token)]), [true, true])
    for (let i = 0; i < 50; i++) assert.equal(await verifies(before.token), false)
    assert.equal(served.reads, 2)
    served.isAway = true
    pass(31_000)
    await assert.rejects(verify(before.token), { code: 'SERVICE_UNAVAILABLE' })
    assert.ok(await verifies(after.token))
  })

  test('without IDs are all tried, and read again for a token that none of them signed', async () => {
    const [one, two, three] = [await newKey(), await newKey(), await newKey()]
    const { served, verifies } = server([one.jwk, two.jwk])
    assert.deepEqual([await verifies(one.token), await verifies(two.token)], [true, true])
    assert.deepEqual([await verifies(three.token), served.reads], [false, 1])
    served.keys = [two.jwk, three.jwk]
    pass(31_000)
    assert.deepEqual([await verifies(three.token), await verifies(two.token)], [true, true])
    assert.deepEqual([await verifies(one.token), served.reads], [false, 2])
  })

  test('that cannot be read are unavailable, not invalid, also during a rotation', async () => {
    const [one, two] = [await newKey('one'), await newKey('two')]
    const { served, verify } = server([one.jwk])
    served.isAway = true
    await assert.rejects(verify(one.token), { code: 'SERVICE_UNAVAILABLE' })
    served.isAway = false
    pass(2_000)
    await verify(one.token)
    served.isAway = true
    pass(31_000)
    await verify(one.token)
    await assert.rejects(verify(two.token), { code: 'SERVICE_UNAVAILABLE' })
    served.isAway = false
    pass(61_000)
    await assert.rejects(verify(two.token), /no key of the issuer fits/)
  })

  test('stay valid for a day while their address fails, which is retried with backoff', async () => {
    const one = await newKey('one')
    const { served, verifies } = server([one.jwk])
    assert.ok(await verifies(one.token))
    served.isAway = true
    pass(11 * 60_000)
    for (let second = 0; second < 60; second++) {
      assert.ok(await verifies(one.token))
      pass(1_000)
    }
    assert.ok(served.reads > 3 && served.reads < 9, `${served.reads} reads in a minute`)
    pass(24 * 3_600_000)
    assert.equal(await verifies(one.token), false)
    served.isAway = false
    pass(61_000)
    assert.ok(await verifies(one.token))
  })
})
