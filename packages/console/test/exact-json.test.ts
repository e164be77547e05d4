import assert from 'node:assert/strict'
import { onTestFinished, test, vi } from 'vitest'
import { parseExact } from '../src/components/exact-json.ts'

const text = '{"id":12345678901234567890,"limits":[1.5,-2e3],"name":"9"}'

test('a number that a double would change is written as it was', () => {
  assert.equal(JSON.stringify(parseExact(text)), '{"id":12345678901234567890,"limits":[1.5,-2000],"name":"9"}')
})

test('browsers that do not give the source of a number parse it as a double', () => {
  const parse = JSON.parse.bind(JSON)
  const withoutContext = (json: string, reviver: (key: string, value: unknown) => unknown): unknown =>
    parse(json, (key, value) => reviver(key, value))
  const replaced = vi.spyOn(JSON, 'parse').mockImplementation(withoutContext)
  onTestFinished(() => replaced.mockRestore())
  assert.deepEqual(parseExact(text), { id: Number('12345678901234567890'), limits: [1.5, -2000], name: '9' })
})
