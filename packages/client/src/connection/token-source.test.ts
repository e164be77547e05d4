import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ParleyError } from '../parley-error.ts'
import { createTokenSource, type TokenAsked, withToken } from './token-source.ts'

test('a token function that hangs is called again, and its late token is dropped', async () => {
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

test('a token function learns of the refused token until it returns another one', async () => {
  const asked: TokenAsked[] = []
  const brought = ['first', 'first', 'second']
  const tokens = createTokenSource(async (about) => {
    asked.push(about)
    return brought[asked.length - 1] ?? 'third'
  })
  assert.equal(await tokens.get(), 'first')
  assert.equal(await tokens.renew('first'), undefined)
  assert.equal(await tokens.renew('first'), 'second')
  assert.equal(await tokens.renew('second'), 'third')
  const refused = (last: string) => ({ refused: true, last })
  assert.deepEqual(asked, [{ refused: false }, refused('first'), refused('first'), refused('second')])
})

test('a token function that returns the refused token is not called again, and the refusal stands', async () => {
  let asked = 0
  const tokens = createTokenSource(async () => {
    asked++
    return 'ended'
  })
  await tokens.get()
  const refuse = async () => {
    throw new ParleyError('INVALID_TOKEN', 'the token has expired', 401)
  }
  await assert.rejects(withToken(tokens, refuse, 'ended'), { code: 'INVALID_TOKEN' })
  assert.equal(asked, 2)
})
