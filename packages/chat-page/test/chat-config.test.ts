import assert from 'node:assert/strict'
import { type Client, ParleyError } from '@parley/client'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { plainConfig, readChatConfig } from '../src/state/chat-config.ts'

describe("reading the app's configuration", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** A client whose first calls fail. */
  function failing(...errors: ParleyError[]) {
    const getConfig = vi.fn(async () => {
      const error = errors.shift()
      if (error) throw error
      return { chatPage: { name: 'Acme', literalText: true }, directory: 'all' }
    })
    return { client: { api: { getConfig } } as unknown as Client, getConfig }
  }

  test('is retried after transient errors', async () => {
    const { client } = failing(new ParleyError('NETWORK_ERROR', ''), new ParleyError('SERVICE_UNAVAILABLE', '', 503))
    const read = readChatConfig(client)
    await vi.runAllTimersAsync()
    const { name, literalText, mayStartChats } = await read
    assert.deepEqual({ name, literalText, mayStartChats }, { name: 'Acme', literalText: true, mayStartChats: true })
  })

  test('ends with the defaults after another error, or when it is no longer wanted', async () => {
    const refused = failing(new ParleyError('INVALID_TOKEN', '', 401))
    assert.equal(await readChatConfig(refused.client), plainConfig)
    let isWanted = true
    const { client, getConfig } = failing(new ParleyError('NETWORK_ERROR', ''))
    const read = readChatConfig(client, () => isWanted)
    isWanted = false
    await vi.runAllTimersAsync()
    assert.equal(await read, plainConfig)
    assert.equal(getConfig.mock.calls.length, 1)
  })
})
