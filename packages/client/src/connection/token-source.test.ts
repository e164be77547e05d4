import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ParleyError } from '../parley-error.ts'
import { createTokenSource } from './token-source.ts'

test('a function that hangs once is called again, and what it brings later is dropped', async () => {
  const asked: ((token: string) => void)[] = []
  const ask = () => new Promise<string>((resolve) => void asked.push(resolve))
  const tokens = createTokenSource(ask, 20)
  await assert.rejects(tokens.get(), (error) => error instanceof ParleyError && error.code === 'NETWORK_ERROR')
  const again = tokens.get()
  await Promise.resolve()
  asked[0]?.('late')
  asked[1]?.('the second')
  assert.equal(await again, 'the second')
  assert.equal(await tokens.get(), 'the second')
})
