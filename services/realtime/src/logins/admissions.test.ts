import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { afterEach, describe, test, vi } from 'vitest'
import { createAdmissions } from './admissions.ts'

const isConnected = () => true

describe('admissions', () => {
  test('a socket of another address goes before a hundred waiting ones of one address', async () => {
    const admissions = createAdmissions(200)
    const inTurn: string[] = []
    const come = async (address: string, name: string) => {
      await admissions.turn(address, isConnected)
      inTurn.push(name)
    }
    const crowd = Array.from({ length: 100 }, (_, i) => come('192.0.2.1', `crowd ${i}`))
    await Promise.all([come('192.0.2.2', 'somebody'), come('192.0.2.3', 'another')])
    // Admitted before them: the caller with the free slot, and one per turn of the addresses.
    assert.ok(inTurn.length <= 20, inTurn.join(', '))
    await Promise.all(crowd)
    const ofCrowd = inTurn.filter((name) => name.startsWith('crowd'))
    assert.deepEqual(
      ofCrowd,
      Array.from({ length: 100 }, (_, i) => `crowd ${i}`),
    )
  })

  test('a closed socket takes no slot, and stops waiting', async () => {
    const admissions = createAdmissions(1)
    await admissions.turn('192.0.2.1', isConnected)
    const gone = Array.from({ length: 1_000 }, () => admissions.turn('192.0.2.1', () => false))
    assert.equal(admissions.waiting, 1_000)
    await admissions.turn('192.0.2.1', isConnected)
    await Promise.all(gone)
    assert.equal(admissions.waiting, 0)
  })

  test('an address with too long a queue is refused, others are not', async () => {
    const admissions = createAdmissions(1)
    let isWaiting = true
    const crowd = Array.from({ length: 100 }, () => admissions.turn('192.0.2.1', () => isWaiting))
    assert.equal(admissions.isFull('192.0.2.1'), true)
    assert.equal(admissions.isFull('192.0.2.2'), false)
    const others = Array.from({ length: 20 }, (_, i) => admissions.turn(`198.51.100.${i}`, () => isWaiting))
    assert.equal(admissions.isFull('192.0.2.2'), true, 'too many addresses are before it')
    isWaiting = false
    await Promise.all([...crowd, ...others])
    assert.equal(admissions.isFull('192.0.2.1'), false)
  })

  test('0 admits everyone at once', async () => {
    const admissions = createAdmissions(0)
    await Promise.all(Array.from({ length: 10_000 }, () => admissions.turn('192.0.2.1', isConnected)))
    assert.equal(admissions.isFull('192.0.2.1'), false)
  })

  describe('with fake timers', () => {
    afterEach(() => {
      vi.useRealTimers()
    })

    test('admits the rate per second, evenly, also after a stall or without waiting sockets', async () => {
      vi.useFakeTimers()
      const admissions = createAdmissions(100)
      await vi.advanceTimersByTimeAsync(60_000)
      let isIn = 0
      for (let i = 0; i < 1_000; i++) void admissions.turn(`192.0.2.${i % 7}`, isConnected).then(() => isIn++)
      for (let second = 1; second <= 5; second++) {
        for (let step = 0; step < 10; step++) {
          const before = isIn
          await vi.advanceTimersByTimeAsync(100)
          assert.ok(isIn - before <= 12, `${isIn - before} in 100 ms`)
        }
        assert.ok(Math.abs(isIn - second * 100) <= 5, `${isIn} in ${second} s`)
        assert.equal(admissions.waiting, 1_000 - isIn)
      }
    })

    test('serves addresses round-robin, each in order of arrival', async () => {
      vi.useFakeTimers()
      const coming = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 40 })
      await fc.assert(
        fc.asyncProperty(coming, async (addresses) => {
          const admissions = createAdmissions(50)
          const inTurn: number[] = []
          for (const [i, address] of addresses.entries())
            void admissions.turn(address, isConnected).then(() => inTurn.push(i))
          await vi.advanceTimersByTimeAsync(60_000)
          assert.equal(inTurn.length, addresses.length)
          const left = new Map(Map.groupBy(addresses.keys(), (i): string => addresses[i] ?? ''))
          // The first had a free slot.
          const [first = -1, ...others] = inTurn
          assert.equal(first, left.get(addresses[first] ?? '')?.shift())
          let served = new Map<string, number>(
            [...left].filter(([, of]) => of.length > 0).map(([address]) => [address, 0]),
          )
          for (const i of others) {
            const address = addresses[i] ?? ''
            assert.equal(i, left.get(address)?.shift(), 'first come, first served')
            const fewest = Math.min(...served.values())
            assert.equal(served.get(address), fewest, 'no address is served again before the others')
            served.set(address, fewest + 1)
            served = new Map([...served].filter(([each]) => (left.get(each)?.length ?? 0) > 0))
          }
        }),
      )
    })
  })
})
