import assert from 'node:assert/strict'
import { afterEach, test, vi } from 'vitest'
import { type FetchedToken, shareToken } from './shared-token.ts'

afterEach(() => void vi.useRealTimers())

test("another tab's token is taken although the device's clock was set back by a day since the last one", async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  let issued = 0
  const tabs: ReturnType<typeof shareToken>[] = []
  const others = (self: number) => tabs.filter((_, i) => i !== self)
  const open = (self: number) =>
    shareToken(async () => `token ${++issued}`, {
      alone: (_signal, work) => work(),
      user: () => 'alice',
      isOfUser: async () => true,
      tell: (user, fetched: FetchedToken) => {
        for (const tab of others(self)) tab.heard(user, fetched)
      },
      ask: (user, sinceMS) => {
        for (const tab of others(self)) tab.answer(user, sinceMS)
      },
    })
  tabs.push(open(0), open(1))
  const [one, other] = tabs
  const renewed = async () => {
    const last = `token ${issued}`
    const next = await one?.fetch({ refused: true, last })
    return [next, await other?.fetch({ refused: true, last })]
  }
  assert.deepEqual(await renewed(), ['token 1', 'token 1'])
  vi.setSystemTime(Date.now() - 24 * 3_600_000)
  assert.deepEqual(await renewed(), ['token 2', 'token 2'])
})
