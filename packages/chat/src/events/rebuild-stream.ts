import { setTimeout as pause } from 'node:timers/promises'
import { clock } from '@parley/async/clock'
import { runEvery } from '@parley/async/run-every'
import { eventStream } from '@parley/contracts/bus/streams'
import { endRebuilding, leaseRebuilding, recordRebuilt, type StreamStateDoc } from '@parley/db/events/stream-state'
import type { Chat } from '../chat.ts'
import { nextToRepublish, republish } from './republish.ts'

const lookEveryMS = 1_000
const leaseMS = 15_000
const stepMS = 1_000
/** Longer than clocks differ, and than an acknowledged event takes to be noted as published. */
const skewMS = 5_000

/**
 * Publishes the events again that a lost stream had, until the signal aborts (ARCHITECTURE.md, "The log may be lost"). Any number of
 * processes may run it: one works, and another goes on where it died.
 */
export async function rebuildLostStream(chat: Chat, signal: AbortSignal): Promise<void> {
  const look = async () => {
    const state = chat.bus.connected ? await leaseRebuilding(chat.db, eventStream.name, leaseMS) : null
    if (state) await rebuild(chat, state, signal)
  }
  const onError = (error: Error) => chat.log.warn({ err: error }, 'events not published again yet; trying again')
  await runEvery(lookEveryMS, look, { onError, signal })
}

async function rebuild(chat: Chat, state: StreamStateDoc, signal: AbortSignal): Promise<void> {
  const { rebuilding } = state
  if (!rebuilding) return
  const { sinceMS, untilMS, afterSeq } = rebuilding
  // As the events of before were: above what the lost stream gave, below what the new one gives.
  const placeOf = (atMS: number) => afterSeq + Math.max(0, atMS - sinceMS) + 1
  let events = 0
  for (let fromMS = await nextStep(chat, rebuilding.doneUpToMS); fromMS < untilMS + skewMS; ) {
    const toMS = fromMS + stepMS
    // What happened in this second is written, and noted as published.
    await pause(Math.max(0, toMS + skewMS - clock.now()), undefined, { signal })
    events += await republish(chat, { fromMS, toMS }, placeOf)
    if (!(await recordRebuilt(chat.db, state, toMS, clock.now() + leaseMS))) return
    fromMS = await nextStep(chat, toMS)
  }
  await endRebuilding(chat.db, state, sinceMS)
  chat.log.info({ events, sinceMS }, 'the events of the lost stream are published again')
}

const inSteps = (ms: number) => Math.floor(ms / stepMS) * stepMS

/** The next step from a time on. Nothing is to be done for the time until then, however long it is. */
async function nextStep(chat: Chat, fromMS: number): Promise<number> {
  return inSteps(await nextToRepublish(chat, inSteps(fromMS), inSteps(clock.now() - skewMS)))
}

/**
 * Publishes all events since a time again, by hand, a second of theirs after the other: broken off, it may go on from where
 * it was, or begin anew.
 * @param onProgress up to when, and how many so far
 * @returns how many
 */
export async function rebuildSince(
  chat: Chat,
  sinceMS: number,
  onProgress: (upToMS: number, events: number) => void,
): Promise<number> {
  const untilMS = clock.now()
  let events = 0
  for (let fromMS = await nextStep(chat, sinceMS); fromMS < untilMS; ) {
    const toMS = fromMS + stepMS
    events += await republish(chat, { fromMS, toMS }, () => undefined)
    onProgress(toMS, events)
    fromMS = await nextStep(chat, toMS)
  }
  return events
}
