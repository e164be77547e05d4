import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually } from '../platform.ts'
import { startWebhookPlatform, type WebhookPlatform } from './test-webhooks.ts'

describe('parley app rotate-webhook-secret', () => {
  let platform: WebhookPlatform
  let alice: string
  beforeAll(async () => {
    platform = await startWebhookPlatform()
    await platform.startPush()
    alice = await platform.newUser()
  })
  afterAll(() => platform.stop())

  async function rotate(...more: string[]): Promise<string> {
    const env = { ...commandEnv, PARLEY_MONGO_URL: platform.servers.mongoUrl }
    const args = [parleyFile, 'app', 'rotate-webhook-secret', platform.app, ...more]
    const { stdout } = await promisify(execFile)(process.execPath, args, { env })
    return /whsec_\S+/.exec(stdout)?.[0] ?? ''
  }

  test('signs with the new and earlier secrets, until those are ended', async () => {
    const secrets = [`whsec_${Buffer.from(`of ${platform.app}, not a secret`).toString('base64')}`]
    const { room, calls } = await platform.newHookedRoom([alice])
    /** The indexes of the secrets that sign the next call. */
    async function signers(): Promise<number[]> {
      const before = calls().length
      await platform.send(room, alice, { message: 'x' })
      await eventually('the call', () => calls().length > before)
      const { text, headers } = calls()[before] as ReturnType<typeof calls>[number]
      return secrets.flatMap((secret, place) => {
        try {
          new Webhook(secret).verify(text, headers as Record<string, string>)
          return [place]
        } catch {
          return []
        }
      })
    }
    const signedBy = (wanted: number[]) =>
      eventually(`signed by ${wanted.join(', ')}`, async () => String(await signers()) === String(wanted))

    await eventually('the room', () => calls().length === 1)
    assert.deepEqual(await signers(), [0])
    secrets.push(await rotate())
    await signedBy([0, 1])
    // As if the printed secret was lost and the receiver still has the first.
    secrets.push(await rotate())
    await signedBy([0, 1, 2])
    secrets.push(await rotate('--hours', '0'))
    await signedBy([3])
    await assert.rejects(rotate('--hours', 'many'), /expected a number from 0 to 720/)
  })

  test('a call rejected for its signature right after the rotation is retried with the new secret', async () => {
    const { room, calls } = await platform.newHookedRoom([alice])
    await eventually('the room', () => calls().length === 1)
    const secret = await rotate('--hours', '0')
    platform.hooks.behave = ({ text, headers }) => {
      try {
        new Webhook(secret).verify(text, headers as Record<string, string>)
        return undefined
      } catch {
        return { status: 401 }
      }
    }
    await platform.send(room, alice, { message: 'x' })
    await eventually('the call', () => calls().some(({ status, body }) => status === 200 && body.event === 'MESSAGE'))
    const tries = calls().filter(({ body }) => body.event === 'MESSAGE')
    assert.equal(new Set(tries.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.deepEqual(await platform.failedCalls(room), [])
  })

  test('fails for an unknown app', async () => {
    const env = { ...commandEnv, PARLEY_MONGO_URL: platform.servers.mongoUrl }
    const args = [parleyFile, 'app', 'rotate-webhook-secret', 'nobody']
    await assert.rejects(promisify(execFile)(process.execPath, args, { env }), /there is no app "nobody"/)
  })
})
