import { setTimeout as pause } from 'node:timers/promises'
import { clock } from '@parley/async/clock'
import { unnoticedCutMS } from '@parley/bus/connect'
import type { Logger } from '@parley/service/log'
import type { RealtimeNode } from './node.ts'

const resyncRetryMS = 1_000
/** After this, all gaps have been noticed and NATS routes all of this node's subjects again. */
const batchGapsMS = 2_000
/** A flapping route must not keep the database busy. */
const gapsAgainMS = 10_000

interface MissedMessagesParts {
  log: Logger
  signal: AbortSignal
  isConnected: () => boolean
  /** Undefined before the start: it has missed nothing. */
  node: () => Pick<RealtimeNode, 'resync'> | undefined
}

/** Recovers events that passed on the bus without reaching this node. */
export function createMissedMessages({ log, signal, isConnected, node }: MissedMessagesParts) {
  let awaySinceMS: number | undefined
  let gapSinceMS: number | undefined
  let gapMadeUpAtMS = Number.NEGATIVE_INFINITY
  let makingUp = 0

  /** Retries until it succeeds: a node must not continue after missing a removal or a revoked token. */
  async function makeUp(sinceMS: number): Promise<void> {
    makingUp++
    while (!signal.aborted) {
      try {
        const events = await node()?.resync(sinceMS)
        log.info({ events }, 'missed events delivered')
        break
      } catch (error) {
        log.error({ err: error }, 'missed events not delivered; trying again')
      }
      if (!isConnected()) {
        // The next reconnect begins from the same time.
        awaySinceMS = Math.min(awaySinceMS ?? sinceMS, sinceMS)
        break
      }
      await wait(resyncRetryMS)
    }
    makingUp--
  }

  async function makeUpGaps(): Promise<void> {
    await wait(Math.max(batchGapsMS, gapMadeUpAtMS + gapsAgainMS - performance.now()))
    const sinceMS = gapSinceMS
    gapSinceMS = undefined
    if (sinceMS !== undefined) await makeUp(sinceMS)
    gapMadeUpAtMS = performance.now()
  }

  /** Shorter if the node stops. */
  async function wait(forMS: number): Promise<void> {
    await pause(forMS, undefined, { signal }).catch((error: Error) => {
      if (!signal.aborted) throw error
    })
  }

  return {
    busIsAway: () => {
      awaySinceMS ??= clock.now() - unnoticedCutMS
    },
    busIsBack: () => {
      const sinceMS = awaySinceMS ?? clock.now() - unnoticedCutMS
      awaySinceMS = undefined
      if (node()) void makeUp(sinceMS)
    },
    /** The bus did not route everything here since that time, in Unix milliseconds. Several calls are recovered together. */
    gap: (sinceMS: number) => {
      if (!node()) return
      const isFirst = gapSinceMS === undefined
      gapSinceMS = Math.min(gapSinceMS ?? sinceMS, sinceMS)
      if (!isFirst) return
      log.warn({ sinceMS }, 'bus messages may be missing; recovering them')
      void makeUpGaps()
    },
    /** Whether something may be missing now. */
    isBehind: () => awaySinceMS !== undefined || gapSinceMS !== undefined || makingUp > 0,
  }
}
