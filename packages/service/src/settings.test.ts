import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, test } from 'vitest'
import { z } from 'zod'
import {
  milliseconds,
  port,
  readSettings,
  SettingsError,
  settingsTable,
  unknownVariables,
  wholeNumber,
  yesOrNo,
} from './settings.ts'
import { sharedSettings } from './shared-settings.ts'
import { refuses } from './test-refused-setting.ts'

const definition = {
  url: { env: 'PARLEY_PUSH_URL', help: 'where to push', schema: z.string().startsWith('https://'), secret: true },
  port: { env: 'PARLEY_PUSH_PORT', help: 'the port', schema: port.default(8080) },
  retry: {
    isOn: { env: 'PARLEY_PUSH_RETRY', help: 'whether to try again', schema: yesOrNo.default(true) },
    pause: { env: 'PARLEY_PUSH_RETRY_MS', help: 'the pause between tries', schema: milliseconds.optional() },
    times: { env: 'PARLEY_PUSH_RETRY_TIMES', help: 'how often', schema: wholeNumber.default(3) },
  },
} as const

test('settings are parsed into the nesting of their definition, with defaults; an empty variable counts as unset', () => {
  const env = {
    PARLEY_PUSH_URL: 'https://a',
    PARLEY_PUSH_RETRY: 'no',
    PARLEY_PUSH_RETRY_MS: '250',
    PARLEY_PUSH_PORT: '',
  }
  assert.deepEqual(readSettings(definition, env), {
    url: 'https://a',
    port: 8080,
    retry: { isOn: false, pause: 250, times: 3 },
  })
})

test('each missing or invalid variable is named in a sentence, and no secret is shown', () => {
  assert.throws(
    () => readSettings(definition, { PARLEY_PUSH_PORT: '99999' }),
    (error) => {
      assert.ok(error instanceof SettingsError)
      assert.match(
        error.message,
        /^PARLEY_PUSH_URL is not set\. It is where to push\.\nPARLEY_PUSH_PORT \("99999"\) is not usable: .*65535\. It is the port\.$/,
      )
      return true
    },
  )
  assert.throws(
    () => readSettings(definition, { PARLEY_PUSH_URL: 'ftp://user:hush' }),
    (error) =>
      error instanceof SettingsError &&
      error.message.startsWith('PARLEY_PUSH_URL is not usable') &&
      !error.message.includes('hush'),
  )
})

test('a blank variable is unset, and a wrong URL is shown without its user and password', () => {
  const url = { env: 'PARLEY_PUSH_URL', help: 'where to push', schema: z.url({ protocol: /^https$/ }) }
  assert.deepEqual(readSettings({ port: definition.port }, { PARLEY_PUSH_PORT: ' ' }), { port: 8080 })
  assert.throws(() => readSettings({ url }, { PARLEY_PUSH_URL: 'http://user:hush@h/x' }), {
    message: 'PARLEY_PUSH_URL ("http://…@h/x") is not usable: Invalid URL. It is where to push.',
  })
})

const dir = mkdtempSync(join(tmpdir(), 'parley-settings-'))
afterAll(() => rmSync(dir, { recursive: true }))
const file = (name: string, text: string) => {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}

test('a secret can come from a file, without trailing line breaks; other settings cannot', () => {
  const env = { PARLEY_PUSH_URL: '', PARLEY_PUSH_URL_FILE: file('url', 'https://a/ b\r\n\n') }
  assert.equal(readSettings(definition, env).url, 'https://a/ b')
  assert.deepEqual(unknownVariables(definition, { ...env, PARLEY_PUSH_PORT_FILE: 'x' }), ['PARLEY_PUSH_PORT_FILE'])
})

test('a file that is missing, empty or unusable names its variable and shows nothing of the secret', () => {
  const fails = (env: NodeJS.ProcessEnv, message: RegExp) =>
    assert.throws(
      () => readSettings(definition, env),
      (error) => error instanceof SettingsError && message.test(error.message) && !error.message.includes('hush'),
    )
  const missing = join(dir, 'nowhere')
  fails(
    { PARLEY_PUSH_URL_FILE: missing },
    /^PARLEY_PUSH_URL_FILE \(".*nowhere"\) cannot be read: ENOENT.* It is where to/,
  )
  fails(
    { PARLEY_PUSH_URL_FILE: file('empty', '\n') },
    /^PARLEY_PUSH_URL_FILE \(".*"\) is not usable: the file is empty/,
  )
  fails({ PARLEY_PUSH_URL_FILE: file('wrong', 'ftp://hush') }, /^PARLEY_PUSH_URL_FILE is not usable: Invalid/)
  const both = { PARLEY_PUSH_URL: 'https://hush', PARLEY_PUSH_URL_FILE: file('both', 'https://hush') }
  fails(both, /^PARLEY_PUSH_URL and PARLEY_PUSH_URL_FILE are both set: give one of them\./)
})

test('an unknown PARLEY variable is reported; those of another service and other variables are ignored', () => {
  const env = { PARLEY_PUSH_PORT: '1', PARLEY_PUSH_PROT: '1', PARLEY_MONGO: 'x', PARLEY_GATEWAY_PORT: '1', HOME: '/' }
  assert.deepEqual(unknownVariables(definition, env), ['PARLEY_PUSH_PROT', 'PARLEY_MONGO'])
})

test('the table shows every setting with its default', () => {
  assert.deepEqual(settingsTable(definition).split('\n').slice(2), [
    '| `PARLEY_PUSH_URL` (`_FILE`) | (required) | where to push |',
    '| `PARLEY_PUSH_PORT` | `8080` | the port |',
    '| `PARLEY_PUSH_RETRY` | `true` | whether to try again |',
    '| `PARLEY_PUSH_RETRY_MS` | (none) | the pause between tries |',
    '| `PARLEY_PUSH_RETRY_TIMES` | `3` | how often |',
  ])
})

test('a setting that two services of one process share is listed once, and reported once', () => {
  const { url, port: listening } = definition
  const both = { push: { url, port: listening }, other: { url } }
  assert.equal(settingsTable(both).split('\n').length, 4)
  const missing = { name: 'SettingsError', message: 'PARLEY_PUSH_URL is not set. It is where to push.' }
  assert.throws(() => readSettings(both, {}), missing)
})

test('a MODERATE server gets some time to respond', () => refuses(sharedSettings, 'PARLEY_MODERATE_TIMEOUT_MS', '0'))

test('resource attributes are percent-encoded UTF-8', () => {
  for (const value of ['a=%ff', 'a']) refuses(sharedSettings, 'OTEL_RESOURCE_ATTRIBUTES', value)
  const { attributes } = sharedSettings.trace
  assert.deepEqual(attributes.schema.parse('a=%C3%A9, b = 1%'), { a: 'é', b: '1%' })
})

test('shared settings accept URLs of several hosts, and each process gets its own node ID', () => {
  const env = {
    PARLEY_MONGO_URL: 'mongodb://a:1,b:2/parley?replicaSet=rs0',
    PARLEY_NATS_URL: 'nats://a:4222,nats://b:4222',
    PARLEY_REDIS_URL: 'redis://a',
  }
  const [one, two] = [readSettings(sharedSettings, env), readSettings(sharedSettings, env)]
  assert.equal(one.mongoUrl, env.PARLEY_MONGO_URL)
  assert.match(one.nodeId, /^[\w-]{1,32}$/)
  assert.notEqual(one.nodeId, two.nodeId)
  for (const natsUrl of ['nats://a:4222,b:4222', 'nats://10.0.0.1:4222, 10.0.0.2:4222', 'tls://user:hush@a']) {
    assert.equal(readSettings(sharedSettings, { ...env, PARLEY_NATS_URL: natsUrl }).natsUrl, natsUrl)
  }
  for (const natsUrl of ['a:4222', 'nats://', 'nats://a:4222,', 'nats://a:4222,:', 'nats://a:99999']) {
    const wrong = () => readSettings(sharedSettings, { ...env, PARLEY_NATS_URL: natsUrl })
    assert.throws(wrong, /^SettingsError: PARLEY_NATS_URL is not usable/, natsUrl)
  }
  for (const redisUrl of ['redis://a', 'rediss://u:p@a:1/2', 'redis+sentinel://u:p@a:1,b:2/master/0']) {
    assert.equal(readSettings(sharedSettings, { ...env, PARLEY_REDIS_URL: redisUrl }).redisUrl, redisUrl)
  }
  for (const redisUrl of ['redis://a/name', 'redis://a/1/2', 'redis://a:99999', 'redis://:b/c@a']) {
    const wrong = () => readSettings(sharedSettings, { ...env, PARLEY_REDIS_URL: redisUrl })
    assert.throws(wrong, /^SettingsError: PARLEY_REDIS_URL is not usable/, redisUrl)
  }
})
