import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'

describe('behind an untrusted proxy', () => {
  let platform: Platform
  beforeAll(async () => {
    platform = await startPlatform()
  })
  afterAll(() => platform.stop())

  const warningsOf = ({ logFile }: RunningService) =>
    readFileSync(logFile, 'utf8')
      .split('\n')
      .filter((line) => line.includes('X-Forwarded-For is ignored'))
  const paths = { 'api-gateway': '/me', realtime: '/socket.io/?EIO=4&transport=polling' }
  const prefixes = { 'api-gateway': 'PARLEY_GATEWAY', realtime: 'PARLEY_REALTIME' }

  for (const name of ['api-gateway', 'realtime'] as const) {
    const setting = `${prefixes[name]}_TRUSTED_PROXIES`
    const ask = ({ url }: RunningService, headers = {}) => fetch(url + paths[name], { headers })

    test(`a ${name} warns once that clients share the proxy's address, and names ${setting}`, async () => {
      const service = await platform.start(name)
      await ask(service)
      assert.deepEqual(warningsOf(service), [])
      for (let i = 0; i < 3; i++) await ask(service, { 'x-forwarded-for': `192.0.2.${i}` })
      const [line = '', ...more] = await eventually('the warning', () => {
        const lines = warningsOf(service)
        return lines.length > 0 ? lines : undefined
      })
      assert.deepEqual(more, [])
      assert.partialDeepStrictEqual(JSON.parse(line), { level: 40, setting, peer: '127.0.0.1' })
      await service.stop()
    })

    test(`a ${name} with ${setting} does not warn`, async () => {
      const service = await platform.start(name, { [setting]: '1' })
      await ask(service, { 'x-forwarded-for': '192.0.2.1' })
      await service.stop()
      assert.deepEqual(warningsOf(service), [])
    })
  }
})
