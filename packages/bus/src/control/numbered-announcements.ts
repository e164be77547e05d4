import { randomUUID } from 'node:crypto'
import { clock } from '@parley/async/clock'
import type { NodeAnnouncement } from '@parley/contracts/bus/control'
import { cachingSubject, nodesSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import type { Subscription } from '../listen.ts'
import { listenToAnnouncements } from './announcements.ts'

/** Far more than there are processes. The longest silent one is evicted first. */
const maxSenders = 1_000

/**
 * Publishes a process's announcement with a number, by which others notice that NATS did not route all of its messages
 * to them. The number grows once NATS has accepted the announcement: one lost with this process's own connection leaves
 * no gap, since NATS accepted none of its other messages then either. Settles when NATS has the announcement.
 */
export function numberAnnouncements(bus: Bus, subject: string): (announcement: NodeAnnouncement) => Promise<void> {
  const run = randomUUID()
  let number = 1
  return async (announcement) => {
    const sent = number
    const { losses } = bus
    bus.nats.publish(subject, JSON.stringify({ ...announcement, run, number: sent } satisfies NodeAnnouncement))
    await bus.nats.flush()
    if (bus.losses === losses) number = Math.max(number, sent + 1)
  }
}

/** Announces this process when another starts, which then knows its number, and notices a cut at once. */
export function announceToNew(bus: Bus, announce: () => Promise<void>, onError: (error: Error) => void): Subscription {
  const subscriptions = [nodesSubject, cachingSubject].map((subject) =>
    listenToAnnouncements(bus, subject, ({ number, leaving }) => {
      if (number === 1 && !leaving) announce().catch(onError)
    }),
  )
  return {
    unsubscribe() {
      for (const subscription of subscriptions) subscription.unsubscribe()
    },
  }
}

interface Heard {
  number: number
  atMS: number
  losses: number
}

/**
 * Detects a cut route between NATS servers while clients stayed connected. A number missing in a process's
 * announcements means that its messages since the previous announcement may be missing too. A late announcement leaves
 * no gap.
 * @param onGap called with the time of the last announcement before the gap, in Unix milliseconds
 */
export function watchForGaps(bus: Bus, onGap: (sinceMS: number) => void): { stop(): void } {
  const heard = new Map<string, Heard>()
  const subscriptions = [nodesSubject, cachingSubject].map((subject) =>
    listenToAnnouncements(bus, subject, ({ run, number }) => {
      if (run === undefined || number === undefined) return
      const before = heard.get(run)
      // Reinserted, so that the map is ordered by last announcement.
      heard.delete(run)
      heard.set(run, { number, atMS: clock.now(), losses: bus.losses })
      const [longestSilent] = heard.keys()
      if (heard.size > maxSenders && longestSilent !== undefined) heard.delete(longestSilent)
      // After the loss of its own connection, this process replays missed messages anyway.
      if (before?.losses === bus.losses && number > before.number + 1) onGap(before.atMS)
    }),
  )
  return {
    stop() {
      for (const subscription of subscriptions) subscription.unsubscribe()
    },
  }
}
