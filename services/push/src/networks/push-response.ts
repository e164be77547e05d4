import { batchedWrites } from '@parley/async/batch'
import { clock } from '@parley/async/clock'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { PushDoc } from '@parley/db/push/documents'
import { deviceOf, type PushReturn, returnPushes } from '@parley/db/push/pushes'
import { deleteDeadToken, setDeviceError, setDeviceTopic } from '@parley/db/users/devices'
import type { AppFigures } from '@parley/presence/app-figures'
import type { Logger } from '@parley/service/log'
import { LRUCache } from 'lru-cache'
import type { PushMetrics } from '../push-metrics.ts'
import type { DecisionLog } from '../recipients/decision-log.ts'
import { type PushAnswer, pauseMS } from './network.ts'

const maxFailed = 10_000

export interface ResponseParts {
  db: Db
  name: string
  metrics: PushMetrics
  log: Logger
  decisions: DecisionLog
  figures: Pick<AppFigures, 'add'>
  /** Retries until it succeeds: no other process sends a taken push. */
  retryForever: <T>(work: () => Promise<T>) => Promise<T>
}

/** Creates the function that acts on a network's response to a push. `request` is for the log. */
export function createResponseHandler({
  db,
  name,
  metrics,
  log,
  decisions,
  figures,
  retryForever,
}: ResponseParts): (push: PushDoc, answer: PushAnswer, request: string | undefined) => Promise<void> {
  const giveBack = batchedWrites((returned: PushReturn[]) => returnPushes(db, returned), { max: 500 })
  /** Devices whose error this process noted: `isAfterError` is missing in pushes stored before. */
  const failed = new LRUCache<string, true>({ max: maxFailed })
  const deviceKeyOf = (push: PushDoc) => key(push.app, push.user, deviceOf(push))
  const putBack = (returned: PushReturn) => retryForever(() => giveBack(returned))
  const recordOnDevice = (push: PushDoc, reason?: string) => {
    const device = deviceKeyOf(push)
    if (reason === undefined) failed.delete(device)
    else failed.set(device, true)
    const error = reason === undefined ? undefined : { reason, atMS: clock.now() }
    return setDeviceError(db, { device, token: push.token }, error)
  }
  const count = (result: string, reason: string) => metrics.results.inc({ network: name, result, reason })

  return async (push, answer, request) => {
    switch (answer.as) {
      case 'sent':
        metrics.delay.observe({ network: name }, (clock.now() - push.at.getTime()) / 1_000)
        decisions.recordResult(push, answer)
        figures.add(push.app, 'pushes')
        if (push.isAfterError || failed.has(deviceKeyOf(push))) await recordOnDevice(push)
        if (answer.topic !== undefined) await setDeviceTopic(db, push.app, push.token, answer.topic)
        return count('sent', '')
      case 'dead':
        decisions.recordResult(push, answer)
        figures.add(push.app, 'failedPushes')
        await retryForever(() => deleteDeadToken(db, push.app, push.token, answer.sinceMS))
        return count('dead token', answer.reason)
      case 'refused':
        log.warn({ network: name, reason: answer.reason, push: push.content, request }, 'push refused')
        decisions.recordResult(push, answer)
        figures.add(push.app, 'failedPushes')
        await recordOnDevice(push, answer.reason)
        return count('refused', answer.reason)
      case 'credentials':
        await putBack({ id: push._id, dueAtMS: clock.now(), triesMore: 0, lastError: answer.reason })
        return count('put back', answer.reason)
      case 'doubtful': {
        const dueAtMS = clock.now() + pauseMS(push.tries)
        const doubtedAtMS = push.doubtedAtMS ?? clock.now()
        await putBack({ id: push._id, dueAtMS, triesMore: 1, lastError: answer.reason, doubtedAtMS })
        await recordOnDevice(push, answer.reason)
        return count('put back', answer.reason)
      }
      case 'again': {
        const dueAtMS = clock.now() + Math.max(answer.afterMS ?? 0, pauseMS(push.tries))
        if (dueAtMS >= push.giveUpAtMS) {
          decisions.recordResult(push, { as: 'dropped', reason: answer.reason })
          figures.add(push.app, 'failedPushes')
          await recordOnDevice(push, answer.reason)
          return count('dropped', answer.reason)
        }
        await putBack({ id: push._id, dueAtMS, triesMore: 1, lastError: answer.reason })
        return count('again', answer.reason)
      }
      default:
        return answer satisfies never
    }
  }
}
