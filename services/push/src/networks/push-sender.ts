import { randomUUID } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { createInFlight } from '@parley/async/in-flight'
import { inParts } from '@parley/async/in-parts'
import type { Wake } from '@parley/async/wake'
import type { NotificationsOfApp } from '@parley/chat/push/notification-settings'
import type { PushNetwork } from '@parley/contracts/resources/push/network'
import type { Db } from '@parley/db/connect'
import type { PushDoc } from '@parley/db/push/documents'
import { findDuePushes, holdPushes, releasePushes, takePushes } from '@parley/db/push/pushes'
import type { AppFigures } from '@parley/presence/app-figures'
import type { CredentialsState } from '@parley/presence/processes'
import type { Logger } from '@parley/service/log'
import type { Tracing } from '@parley/service/trace'
import pRetry from 'p-retry'
import type { PushMetrics } from '../push-metrics.ts'
import type { DecisionLog } from '../recipients/decision-log.ts'
import type { FindOnlineDevices } from '../recipients/online-devices.ts'
import { createDoubts, type Doubts } from './doubts.ts'
import type { Network, PushAnswer, PushContent } from './network.ts'
import { contentOf, createPushContents } from './push-contents.ts'
import { createResponseHandler } from './push-response.ts'
import { recheckPushes } from './recheck-pushes.ts'

interface PushSenderParts {
  db: Db
  name: PushNetwork
  network: Network
  notificationsOf: NotificationsOfApp
  onlineDevicesOf: FindOnlineDevices
  concurrency: number
  probeMS: number
  credentials: CredentialsState
  /** Takes the function that returns the states of stopped apps. */
  report: (states: Doubts['states']) => void
  figures: Pick<AppFigures, 'add'>
  wake: Wake
  metrics: PushMetrics
  decisions: DecisionLog
  log: Logger
  tracing: Tracing
}

/** While an app's credentials are refused. */
const checkEveryMS = 1_000
/** Due work wakes it up earlier. */
const sleepMS = 30_000
/** Pushes claimed in one write: the most that stay unsent if the process is killed right then. */
const perTake = 5

/**
 * Sends due pushes of one network until the signal aborts. It reads pushes only when there are free slots, so that a
 * slow or absent network costs no memory and delays nothing else. Retries wait in the database. Each push is taken
 * right before it is sent, when all its data is loaded.
 */
export async function runPushSender(parts: PushSenderParts, signal: AbortSignal): Promise<void> {
  const { db, name, concurrency, wake, metrics, decisions, figures, log } = parts
  const inFlight = createInFlight()
  const credentials = watchCredentials(parts, () => wake.up())
  const retryForever = retrying(name, log)
  const doubts = createDoubts(parts, (app) => {
    void inFlight.add(retryForever(() => releasePushes(db, name, app)).then(() => wake.up()))
  })
  parts.report(() => doubts.states())
  const readDue = createDuePushes(db, name, doubts)
  const contentsOf = createPushContents(db)
  const handleResponse = createResponseHandler({ ...parts, retryForever })
  /** Whether the network has responded yet. Before that, taken pushes would only wait for the connection. */
  let isReached = false
  const atOnce = () => (!credentials.isStopped && isReached ? concurrency : 1)
  /** Takes and sends due pushes while slots are free; returns how many were due. */
  async function sendDue(): Promise<number> {
    const { found, due } = await readDue(atOnce() - inFlight.size)
    const known = await contentsOf(due)
    const renewed = await recheckPushes(parts, due, known)
    for (const some of inParts(due, perTake)) {
      const takenBy = randomUUID()
      const ids = some.map(({ _id }) => _id)
      const taken = await retryForever(() => takePushes(db, ids, takenBy))
      for (const push of some) {
        if (!taken.has(push._id)) continue
        const now = renewed.get(push._id)
        if (now?.as === 'dropped') drop(push, now.reason)
        else void begin(now?.push ?? push, contentOf(push, known))
      }
    }
    return found
  }

  function drop(push: PushDoc, reason: string): void {
    decisions.recordResult(push, { as: 'dropped', reason })
    figures.add(push.app, 'failedPushes')
    metrics.results.inc({ network: name, result: 'dropped', reason })
  }

  async function begin(push: PushDoc, content: PushContent | undefined): Promise<void> {
    const work = inFlight.add(sendOne(push, content))
    metrics.inFlight.set({ network: name }, inFlight.size)
    await work.catch((error: unknown) =>
      log.error({ err: error, network: name, push: push.content }, 'push result not recorded'),
    )
    metrics.inFlight.set({ network: name }, inFlight.size)
  }

  async function sendOne(push: PushDoc, content: PushContent | undefined): Promise<void> {
    if (push.giveUpAtMS <= clock.now()) return drop(push, 'late')
    if (!content) return drop(push, 'no content')
    if (content.of === 'message' && content.isDeleted) return drop(push, 'deleted')
    const answer = doubts.judge(push, await sendTraced(parts, push, content))
    if (answer.as !== 'again' && !('isOurs' in answer)) isReached = true
    credentials.record(answer)
    await handleResponse(push, answer, content.request)
  }

  while (!signal.aborted) {
    const waitMS = credentials.waitMS()
    if (waitMS > 0) {
      await wake.sleep(Math.min(waitMS, checkEveryMS), signal)
      continue
    }
    // Wait until several slots are free: each read is a round trip.
    if (inFlight.size > atOnce() * 0.75) {
      await inFlight.below(inFlight.size)
      continue
    }
    const due = await sendDue().catch((error: unknown) => {
      log.warn({ err: error, network: name }, 'pushes not read; trying again')
      return 0
    })
    if (due === 0) await wake.sleep(sleepMS, signal)
  }
  await inFlight.drained()
}

/**
 * Creates the reader of a network's due pushes. It leaves out those of apps that the network is stopped for: they wait
 * in the database. Pushes that an earlier process held are due: the credentials may have changed.
 * @returns how many were due, and those to send
 */
function createDuePushes(
  db: Db,
  name: PushNetwork,
  doubts: Doubts,
): (max: number) => Promise<{ found: number; due: PushDoc[] }> {
  let isReleased = false
  return async (max) => {
    if (!isReleased) await releasePushes(db, name)
    isReleased = true
    const found = await findDuePushes(db, name, max)
    const held = new Map<string, number>()
    for (const push of found) {
      const untilMS = doubts.heldUntilMS(push)
      if (untilMS !== undefined) held.set(push._id, untilMS)
    }
    if (held.size > 0) await holdPushes(db, held)
    return { found: found.length, due: found.filter(({ _id }) => !held.has(_id)) }
  }
}

/** No other process sends a taken push, so keep going whatever happens to the database. */
function retrying(name: string, log: Logger) {
  return <T>(work: () => Promise<T>) =>
    pRetry(work, {
      retries: Number.POSITIVE_INFINITY,
      minTimeout: 250,
      maxTimeout: 5_000,
      onFailedAttempt: ({ error }) =>
        log.warn({ err: error, network: name }, 'the database is unavailable; trying again'),
    })
}

async function sendTraced(
  { name, network, tracing, log }: PushSenderParts,
  push: PushDoc,
  content: PushContent,
): Promise<PushAnswer> {
  const span = tracing.startSpan(`send to ${name}`, 'client', content.request)
  const answer = await network.send(push, content)
  span.end({ 'parley.result': answer.as }, 'reason' in answer ? answer.reason : undefined)
  log.debug({ network: name, result: answer.as, push: push.content, request: content.request }, 'push sent')
  return answer
}

/**
 * Tracks whether a network accepts our credentials. While it does not, one push at a time is sent as a probe.
 * @param parts its `credentials` are kept up to date, for the report of this process
 */
function watchCredentials(
  parts: { name: string; probeMS: number; metrics: PushMetrics; log: Logger; credentials: CredentialsState },
  onAccepted: () => void,
) {
  const { name, probeMS, metrics, log, credentials } = parts
  let probeAtMS: number | undefined
  const become = (state: CredentialsState['state']) => {
    if (credentials.state !== state) Object.assign(credentials, { state, sinceMS: clock.now() })
  }
  metrics.stopped.set({ network: name }, 0)
  return {
    /** While the network refuses our credentials. */
    get isStopped() {
      return probeAtMS !== undefined
    },
    /** How long to wait until one push is tried, in milliseconds; 0 for now. */
    waitMS: () => Math.max(0, (probeAtMS ?? 0) - clock.now()),
    record(answer: PushAnswer) {
      if ('isOurs' in answer) return
      if (answer.as === 'credentials') {
        if (probeAtMS === undefined || probeAtMS <= clock.now()) {
          log.error(
            { network: name, reason: answer.reason },
            'push network refuses our credentials: nothing is sent to it',
          )
        }
        probeAtMS = clock.now() + probeMS
        become('refused')
        Object.assign(credentials, { lastError: answer.reason, lastErrorAtMS: clock.now() })
        metrics.stopped.set({ network: name }, 1)
        return
      }
      if (answer.as === 'again') return
      become('accepted')
      delete credentials.lastError
      delete credentials.lastErrorAtMS
      if (probeAtMS !== undefined) {
        log.info({ network: name }, 'push network accepts our credentials again')
        probeAtMS = undefined
        metrics.stopped.set({ network: name }, 0)
        onAccepted()
      }
    },
  }
}
