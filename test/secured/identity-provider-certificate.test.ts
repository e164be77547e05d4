import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listenOnLoopback } from '@parley/stack/loopback'
import { afterAll, beforeAll, test } from 'vitest'
import { type Platform, startPlatform } from '../platform.ts'
import { newAuthority } from './certificates.ts'

let platform: Platform
let dir: string
beforeAll(async () => {
  platform = await startPlatform()
  dir = mkdtempSync(join(tmpdir(), 'parley-idp-'))
})
afterAll(async () => {
  await platform.stop()
  rmSync(dir, { recursive: true })
})

test('an identity provider whose certificate is refused is a warning with the cause', async () => {
  const { cert, key } = await (await newAuthority(dir, 'unknown')).issue('provider', { isExpired: true })
  const provider = createServer({ cert: readFileSync(cert), key: readFileSync(key) })
  const port = await listenOnLoopback(provider)
  const gateway = await platform.start('api-gateway', {
    PARLEY_GATEWAY_OIDC_ISSUER: `https://localhost:${port}`,
    PARLEY_GATEWAY_OIDC_CLIENT_ID: 'parley',
    PARLEY_GATEWAY_CONSOLE_URL: 'http://localhost',
    PARLEY_LOG_LEVEL: 'warn',
  })
  const { headers } = await fetch(`${gateway.url}/operator/oidc`, { redirect: 'manual' })
  assert.match(headers.get('location') ?? '', /#error=SERVICE_UNAVAILABLE$/)
  await gateway.stop()
  provider.close()
  const log = readFileSync(gateway.logFile, 'utf8')
  assert.match(log, /certificate.*"msg":"no operator can sign in by the identity provider"/)
})
