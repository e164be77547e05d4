import { randomUUID } from 'node:crypto'
import type { Db } from '@parley/db/connect'
import { deleteDeadToken, setDeviceTopic } from '@parley/db/devices'
import { gather } from '@parley/db/gather'
import {
  findDuePushes,
  findPushContents,
  type PushDoc,
  type PushNetwork,
  type PushReturn,
  returnPushes,
  takePushes,
} from '@parley/db/pushes'
import type { Logger } from '@parley/service/log'
import type { Tracing } from '@parley/service/trace'
import { LRUCache } from 'lru-cache'
import pRetry from 'p-retry'
import { type Network, type PushAnswer, type PushContent, pauseMS } from './network.ts'
import type { PushMetrics } from './push-metrics.ts'
import type { Wake } from './wake.ts'

export interface PushSenderParts {
  db: Db
  name: PushNetwork
  network: Network
  concurrency: number
  probeMS: number
  wake: Wake
  metrics: PushMetrics
  log: Logger
  tracing: Tracing
}

const lookEveryMS = 1_000
const longestPauseMS = 5 * 60 * 1_000
/** Pushes taken in one write. So many at most stay unsent when the process is killed right then. */
const perTake = 5
/** Contents kept for the other devices of the same message; characters of JSON. */
const keptContents = 16 * 1024 * 1024

/**
 * Sends, until the signal aborts, what is due for one network: so many at a time, read from the database only when
 * there is a free place for them, so that a network that is slow or away costs no memory and keeps nobody waiting.
 * What has to be sent again waits in the database. Each push is taken right before it is sent, when everything that it
 * needs is at hand.
 */
export async function runPushSender(parts: PushSenderParts, signal: AbortSignal): Promise<void> {
  const { db, name, network, concurrency, probeMS, wake, metrics, log, tracing } = parts
  const contents = new LRUCache<string, PushContent>({ maxSize: keptContents })
  const underWay = new Set<Promise<void>>()
  const giveBack = gather(
    async (returned: PushReturn[]) => {
      await returnPushes(db, returned)
      return returned
    },
    { most: 500 },
  )
  /** While the network refuses our credentials: when one push is tried again. */
  let probeAtMS: number | undefined
  /** Whether the network has answered anything yet: before, what is taken would wait for the connection. */
  let isReached = false
  const atOnce = () => (probeAtMS === undefined && isReached ? concurrency : 1)
  metrics.stopped.set({ network: name }, 0)

  /** What was taken nobody else would send: whatever happens to the database meanwhile, it is gone through with. */
  const surely = <T>(work: () => Promise<T>) =>
    pRetry(work, {
      retries: Number.POSITIVE_INFINITY,
      minTimeout: 250,
      maxTimeout: 5_000,
      onFailedAttempt: ({ error }) => log.warn({ err: error, network: name }, 'the database is away; trying again'),
    })

  async function contentsOf(pushes: readonly PushDoc[]): Promise<Map<string, PushContent>> {
    const wanted = new Set(pushes.map(({ content }) => content))
    const known = new Map<string, PushContent>()
    for (const id of wanted) {
      const content = contents.get(id)
      if (content) known.set(id, content)
    }
    for (const [id, json] of await findPushContents(
      db,
      [...wanted].filter((id) => !known.has(id)),
    )) {
      const content = JSON.parse(json) as PushContent
      known.set(id, content)
      contents.set(id, content, { size: json.length })
    }
    return known
  }

  /** Takes and sends what is due, as far as there are free places; answers how many were due. */
  async function sendDue(): Promise<number> {
    const due = await findDuePushes(db, name, atOnce() - underWay.size)
    const known = await contentsOf(due)
    for (let i = 0; i < due.length; i += perTake) {
      const some = due.slice(i, i + perTake)
      const takenBy = randomUUID()
      const ids = some.map(({ _id }) => _id)
      const taken = await surely(() => takePushes(db, ids, takenBy))
      for (const push of some) if (taken.has(push._id)) begin(push, known.get(push.content))
    }
    return due.length
  }

  function begin(push: PushDoc, content: PushContent | undefined): void {
    const work = sendOne(push, content)
      .catch((error: unknown) => log.error({ err: error, network: name, push: push.content }, 'push not settled'))
      .finally(() => {
        underWay.delete(work)
        metrics.inFlight.set({ network: name }, underWay.size)
      })
    underWay.add(work)
    metrics.inFlight.set({ network: name }, underWay.size)
  }

  async function sendOne(push: PushDoc, content: PushContent | undefined): Promise<void> {
    if (push.giveUpAtMS <= Date.now()) return count('dropped', 'late')
    if (!content) return count('dropped', 'no content')
    const step = tracing.step(`send to ${name}`, 'client', content.request)
    const answer = await network.send(push, content)
    step.end({ 'parley.result': answer.as }, 'reason' in answer ? answer.reason : undefined)
    log.debug({ network: name, result: answer.as, push: push.content, request: content.request }, 'push answered')
    if (answer.as !== 'again') isReached = true
    noteCredentials(answer)
    await settle(push, answer, content.request)
  }

  async function settle(push: PushDoc, answer: PushAnswer, request: string | undefined): Promise<void> {
    switch (answer.as) {
      case 'sent':
        metrics.delay.observe({ network: name }, (Date.now() - push.at.getTime()) / 1_000)
        if (answer.topic !== undefined) await setDeviceTopic(db, push.app, push.token, answer.topic)
        return count('sent', '')
      case 'dead':
        await surely(() => deleteDeadToken(db, push.app, push.token, answer.sinceMS))
        return count('dead token', answer.reason)
      case 'refused':
        log.warn({ network: name, reason: answer.reason, push: push.content, request }, 'push refused')
        return count('refused', answer.reason)
      case 'credentials':
        await putBack({ id: push._id, dueAtMS: Date.now(), triesMore: 0 })
        return count('put back', answer.reason)
      case 'again': {
        const dueAtMS = Date.now() + Math.max(answer.afterMS ?? 0, pauseMS(push.tries, longestPauseMS))
        if (dueAtMS >= push.giveUpAtMS) return count('dropped', answer.reason)
        await putBack({ id: push._id, dueAtMS, triesMore: 1 })
        return count('again', answer.reason)
      }
      default:
        return answer satisfies never
    }
  }

  const putBack = (returned: PushReturn) => surely(() => giveBack(returned))

  function count(result: string, reason: string): void {
    metrics.results.inc({ network: name, result, reason })
  }

  function noteCredentials(answer: PushAnswer): void {
    if (answer.as === 'credentials') {
      if (probeAtMS === undefined || probeAtMS <= Date.now()) {
        log.error({ network: name, reason: answer.reason }, `${name} refuses our credentials: nothing is sent to it`)
      }
      probeAtMS = Date.now() + probeMS
      metrics.stopped.set({ network: name }, 1)
    } else if (answer.as !== 'again' && probeAtMS !== undefined) {
      log.info({ network: name }, `${name} takes our credentials again`)
      probeAtMS = undefined
      metrics.stopped.set({ network: name }, 0)
      wake.up()
    }
  }

  while (!signal.aborted) {
    const waitMS = Math.max(0, (probeAtMS ?? 0) - Date.now())
    if (waitMS > 0) {
      await wake.sleep(Math.min(waitMS, lookEveryMS), signal)
      continue
    }
    // A few free places are left to become more: each look is a round trip.
    if (underWay.size > atOnce() * 0.75) {
      await Promise.race(underWay)
      continue
    }
    const due = await sendDue().catch((error: unknown) => {
      log.warn({ err: error, network: name }, 'pushes not read; trying again')
      return 0
    })
    if (due === 0) await wake.sleep(lookEveryMS, signal)
  }
  await Promise.all(underWay)
}
