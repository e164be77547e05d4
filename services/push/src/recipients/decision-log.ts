import { randomUUID } from 'node:crypto'
import { batchedWrites } from '@parley/async/batch'
import { clock } from '@parley/async/clock'
import { createInFlight } from '@parley/async/in-flight'
import type { Db } from '@parley/db/connect'
import type { PushDecisionDoc, PushDoc, PushResult } from '@parley/db/push/documents'
import { recordDecisions, recordResults } from '@parley/db/push/push-decisions'
import { deviceOf } from '@parley/db/push/pushes'
import type { Logger } from '@parley/service/log'

/** Records why each device got a push or did not, and the outcome, for GET /admin/push/why. */
export interface DecisionLog {
  decided(decision: PushDecisionDoc): Promise<void>
  /** Returns at once: sending never waits for the record. */
  recordResult(push: PushDoc, outcome: Pick<PushResult, 'as' | 'id' | 'reason'>): void
  /** Settles when everything so far is recorded. */
  drained(): Promise<void>
}

/** Outcomes of one message within this time are stored in one document. */
const waitMS = 250

export function createDecisionLog(db: Db, log: Logger): DecisionLog {
  const inFlight = createInFlight()
  const recordResult = batchedWrites((outcomes: Outcome[]) => recordResults(db, byMessage(outcomes)), {
    max: 2_000,
    waitMS,
  })
  return {
    decided: batchedWrites((decisions: PushDecisionDoc[]) => recordDecisions(db, decisions), { max: 100 }),
    recordResult(push, { as, id, reason }) {
      // Belongs to no message that can be queried.
      if (push.removes) return
      const { content, user, network } = push
      const result: PushResult = {
        ...{ user, network, as, atMS: clock.now() },
        device: deviceOf(push),
        ...(id !== undefined && { id }),
        ...(reason !== undefined && { reason }),
      }
      inFlight
        .add(recordResult({ content, result }))
        .catch((error: unknown) => log.warn({ err: error, push: content }, 'outcomes of pushes not recorded'))
    },
    drained: () => inFlight.drained(),
  }
}

export const noDecisionLog: DecisionLog = {
  decided: () => Promise.resolve(),
  recordResult: () => undefined,
  drained: () => Promise.resolve(),
}

interface Outcome {
  content: string
  result: PushResult
}

function byMessage(outcomes: readonly Outcome[]) {
  return [...Map.groupBy(outcomes, ({ content }) => content)].map(([content, some]) => ({
    _id: `${content}\0${randomUUID()}`,
    at: clock.date(),
    results: some.map(({ result }) => result),
  }))
}
