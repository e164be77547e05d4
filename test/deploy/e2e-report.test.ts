import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { byHelm } from '../k8s/by-helm.ts'
import { countedCalls, quantile } from '../k8s/counted-calls.ts'
import type { Seen } from '../k8s/load.ts'
import { type Done, faultsOf, pageOf, type Run } from '../k8s/report.ts'
import { note, type Use } from '../k8s/resources.ts'
import { allSteps, type Step } from '../k8s/steps.ts'

const fine: Seen = {
  ...{ calls: 100, refused: {}, unanswered: {}, p50: 5, p99: 10, slowest: [] },
  ...{ sent: 90, lost: 0, twice: 0, reconnects: 0, allReconnects: 0 },
}
const images = { now: 'parley', before: 'parley:before' }
const steps = allSteps(byHelm(images).steps, images.now)

function runWith(step: string, seen: Partial<Seen>): Run {
  const done = steps.map((each): Done => Object.assign({ step: each, seconds: 20 }, fine, each.name === step && seen))
  return {
    environment: ['a machine'],
    quiet: fine,
    done,
    resources: new Map([['push', { cpu: 12, memory: 90 }]]),
    crashed: [],
  }
}

describe('faults found by npm run e2e:k8s', () => {
  test('are none if every goal is met', () => {
    const run = runWith('scale', { reconnects: 1, p99: 30 })
    assert.deepEqual(faultsOf(run), [])
    assert.match(pageOf(run), /All goals are met/)
    assert.match(pageOf(run), /\| push \| 12 \| 90 \|/)
  })

  test('have update steps only with an earlier release; setting changes need none', () => {
    const named = (steps: Step[]) => steps.map(({ name }) => name)
    const settings = ['setting', 'setting-back', 'wrong-setting']
    assert.deepEqual(named(byHelm(images).steps), ['update', 'rollback', 'update-again', ...settings])
    assert.deepEqual(named(byHelm({ now: 'parley' }).steps), settings)
  })

  const wrong: [string, Partial<Seen>, RegExp][] = [
    ['scale', { refused: { 503: 2 } }, /^scale: not 2xx: 503: 2$/],
    ['scale', { unanswered: { ECONNRESET: 1 } }, /^scale: no response: ECONNRESET: 1$/],
    ['evict', { lost: 3 }, /3 messages lost/],
    ['evict', { twice: 1 }, /1 duplicate messages/],
    ['restart-realtime', { reconnects: 2 }, /reconnected 2 times/],
    ['restart-push', { reconnects: 1 }, /reconnected 1 times/],
    ['update', { p99: 31, slowest: [{ afterS: 7, ms: 40 }] }, /3\.1 × the baseline; the slowest: 40 ms after 7 s$/],
  ]
  for (const [step, seen, fault] of wrong) {
    test(`include ${JSON.stringify(seen)} of ${step}`, () => {
      const faults = faultsOf(runWith(step, seen))
      assert.equal(faults.length, 1)
      assert.match(String(faults[0]), fault)
      assert.ok(pageOf(runWith(step, seen)).includes(`- ${faults[0]}`))
    })
  }

  test('exclude slow calls while unrelated pods start, but include refused ones', () => {
    assert.deepEqual(faultsOf(runWith('control', { p99: 100 })), [])
    assert.match(pageOf(runWith('control', { p99: 100 })), /\| unrelated pods .*\| 10\.0 \|/)
    assert.equal(faultsOf(runWith('control', { refused: { 503: 1 } })).length, 1)
  })

  test('include a pod that exited by itself, but not a call in flight at a killed pod', () => {
    assert.deepEqual(
      faultsOf({ ...runWith('kill-api-gateway', { unanswered: { ECONNRESET: 1 } }), crashed: ['stats-1'] }),
      ['stats-1 restarted'],
    )
  })

  test('count calls by outcome and time the successful ones', async () => {
    const broken = Object.assign(new Error('read'), { code: 'ECONNRESET' })
    const answers = [200, 503, 404, 503, new TypeError('fetch failed', { cause: broken })]
    const calls = countedCalls(() => {
      const answer = answers.shift()
      if (typeof answer !== 'number') return Promise.reject(answer)
      return Promise.resolve({ status: answer, body: { RC: 0, RM: '', result: {}, error: { code: '', message: '' } } })
    })
    for (let i = 0; i < 4; i++) await calls.timed('', 'GET', '/', {})
    await assert.rejects(calls.untimed('', 'GET', '/', {}))
    const { calls: made, refused, unanswered, slowest } = calls.take()
    assert.deepEqual(
      slowest.map(({ afterS }) => afterS),
      [0],
    )
    assert.deepEqual([made, refused, unanswered], [5, { 404: 1, 503: 2 }, { ECONNRESET: 1 }])
    assert.deepEqual(calls.take(), { calls: 0, refused: {}, unanswered: {}, p50: 0, p99: 0, slowest: [] })
    const values = Array.from({ length: 200 }, (_, i) => 200 - i)
    assert.deepEqual([quantile(values, 0.5), quantile(values, 0.99)], [100, 198])
  })

  test('report the peak use of each container', () => {
    const max = new Map<string, Use>()
    note(max, 'push-1   push   12m   34Mi\npush-2   push   7m    90Mi\n')
    note(max, 'push-1   push   3m   20Mi\nstats-1   stats   1m   80Mi\n')
    assert.deepEqual(
      [...max],
      [
        ['push', { cpu: 12, memory: 90 }],
        ['stats', { cpu: 1, memory: 80 }],
      ],
    )
  })
})
