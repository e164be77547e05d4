import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { redisOptions } from './redis-url.ts'

describe('the URL of Redis', () => {
  test('of one server is passed to the client unchanged, with the certificates', () => {
    assert.deepEqual(redisOptions('redis://u:p@h:1/2'), { url: 'redis://u:p@h:1/2', options: {} })
    const { options } = redisOptions('rediss://h', { ca: 'pem' })
    assert.deepEqual(options, { tls: { ca: 'pem' } })
  })

  test('of Sentinel can name several Sentinels, the master, a user and a database', () => {
    const { url, options } = redisOptions('redis+sentinel://parley:p%40ss@one:1,two,[::1]:3/chat/4')
    assert.equal(url, undefined)
    assert.deepEqual(options, {
      sentinels: [
        { host: 'one', port: 1 },
        { host: 'two', port: 26_379 },
        { host: '::1', port: 3 },
      ],
      ...{ name: 'chat', db: 4, username: 'parley', password: 'p@ss' },
    })
  })

  test('of Sentinel can have colons in the password', () => {
    const { options } = redisOptions('redis+sentinel://parley:a:b%3Ac@one/chat')
    assert.partialDeepStrictEqual(options, { username: 'parley', password: 'a:b:c' })
  })

  test('of Sentinel over TLS uses TLS for Sentinels and servers', () => {
    const { options } = redisOptions('rediss+sentinel://one/chat')
    assert.partialDeepStrictEqual(options, { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true })
  })

  for (const url of [
    'redis+sentinel://one',
    'redis+sentinel:///chat',
    'redis+sentinel://one/',
    'redis+sentinel://one/chat/x',
  ]) {
    test(`${url} is refused`, () => {
      assert.throws(() => redisOptions(url), /redis\+sentinel:\/\/user:password@host/)
    })
  }
})
