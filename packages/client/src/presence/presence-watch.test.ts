import assert from 'node:assert/strict'
import { describe, test, vi } from 'vitest'
import { PresenceWatch } from './presence-watch.ts'

describe('who is watched', () => {
  function watch() {
    const said: [event: string, clients: string[]][] = []
    const presence = new PresenceWatch({
      isConnected: () => true,
      emit: async (event, payload) => {
        const { clients } = payload as { clients: string[] }
        said.push([event, clients])
        return {}
      },
    })
    const look = (user: string) => presence.of(user).subscribe(() => undefined)
    return { look, said }
  }

  test('is watched as long as somebody looks, also when another one ends twice', async () => {
    const { look, said } = watch()
    const end = look('bob')
    const last = look('bob')
    end()
    end()
    await vi.waitFor(() => assert.deepEqual(said, [['presence subscribe', ['bob']]]))
    last()
    await vi.waitFor(() => assert.deepEqual(said.slice(1), [['presence unsubscribe', ['bob']]]))
  })

  test('all change at once: those who are left, then those who come', async () => {
    const { look, said } = watch()
    const users = (of: string) => Array.from({ length: 400 }, (_, i) => `${of} ${i}`)
    const ends = users('before').map(look)
    await vi.waitFor(() => assert.equal(said.length, 1))
    for (const end of ends) end()
    users('after').forEach(look)
    await vi.waitFor(() => assert.equal(said.length, 3))
    assert.deepEqual(said.slice(1), [
      ['presence unsubscribe', users('before')],
      ['presence subscribe', users('after')],
    ])
  })
})
