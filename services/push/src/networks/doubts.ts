import { clock } from '@parley/async/clock'
import type { PushDoc } from '@parley/db/push/documents'
import type { CredentialsState } from '@parley/presence/processes'
import type { Logger } from '@parley/service/log'
import { LRUCache } from 'lru-cache'
import type { PushMetrics } from '../push-metrics.ts'
import type { PushAnswer } from './network.ts'

/** The last answers about one app's devices. */
interface Answers {
  /** By token, the latest last. */
  latest: Map<string, { user: string; isAccepted: boolean; atMS: number }>
  lastAcceptedMS: number
  stopped?: {
    sinceMS: number
    lastError: string
    lastErrorAtMS: number
    probeAtMS: number
    probes: number
    hasProbe: boolean
  }
}

/** Number of devices whose answers of the last minute decide. */
const maxDevices = 20
const windowMS = 60_000
/** Minimum of users with doubted devices to stop an app: a few may be coincidence, and one may register false tokens. */
const fewestDoubters = 10
const maxApps = 10_000
const longestProbeMS = 15 * 60_000
/** Held pushes are checked again after about this long if nothing releases them. */
const heldMS = 20 * 60_000

/**
 * Judges answers that blame a token where our credentials may be at fault, such as BadDeviceToken from APNs' other environment.
 * A network that answers so to nearly all devices of an app is stopped for that app, and no token is removed.
 * @param onAccepted called with the app when its pushes are accepted again
 */
export function createDoubts(
  parts: { name: CredentialsState['network']; probeMS: number; metrics: PushMetrics; log: Logger },
  onAccepted: (app: string) => void,
) {
  const { name, probeMS, metrics, log } = parts
  const apps = new LRUCache<string, Answers>({ max: maxApps })
  const stopped = () => [...apps.entries()].filter(([, answers]) => answers.stopped)
  const count = () => metrics.stoppedApps.set({ network: name }, stopped().length)
  count()

  function note({ app, user, token }: PushDoc, isAccepted: boolean): Answers {
    const answers: Answers = apps.get(app) ?? { latest: new Map(), lastAcceptedMS: 0 }
    apps.set(app, answers)
    recordAnswer(answers, { user, token, isAccepted })
    return answers
  }

  function recordDoubt(push: PushDoc, reason: string): Answers {
    const answers = note(push, false)
    const nowMS = clock.now()
    const error = { lastError: reason, lastErrorAtMS: nowMS }
    if (answers.stopped) {
      Object.assign(answers.stopped, error)
      return answers
    }
    const { accepted, doubters } = countsOf(answers)
    if (doubters < fewestDoubters || accepted * 10 > doubters) return answers
    answers.stopped = { ...error, sinceMS: nowMS, probeAtMS: nowMS + probeMS, probes: 0, hasProbe: false }
    count()
    log.error(
      { network: name, app: push.app, reason },
      'push network rejects nearly all devices of an app: nothing is sent to them',
    )
    return answers
  }

  function recordAccepted(push: PushDoc): void {
    const answers = note(push, true)
    if (!answers.stopped) return
    // If it was coincidence, the earlier answers still count, and the next doubt stops the app again.
    delete answers.stopped
    for (const answer of answers.latest.values()) answer.atMS = clock.now()
    count()
    log.info({ network: name, app: push.app }, 'push network accepts devices of an app again')
    onAccepted(push.app)
  }

  return {
    /** How long a push has to wait because its app is stopped. Meanwhile, one push at a time goes out as a probe. */
    heldUntilMS({ app, giveUpAtMS }: PushDoc) {
      const stop = apps.peek(app)?.stopped
      if (!stop || giveUpAtMS <= clock.now()) return undefined
      if (stop.probeAtMS > clock.now()) {
        if (stop.hasProbe) return clock.now() + heldMS * (0.75 + Math.random() / 2)
        stop.hasProbe = true
        return stop.probeAtMS
      }
      stop.probeAtMS = clock.now() + Math.min(probeMS * 2 ** stop.probes, longestProbeMS)
      Object.assign(stop, { probes: stop.probes + 1, hasProbe: false })
      return undefined
    },
    /** The answer to act on: `doubtful` until the network has accepted another push of the app. */
    judge(push: PushDoc, answer: PushAnswer): PushAnswer {
      if (answer.as === 'sent') recordAccepted(push)
      if (answer.as !== 'doubtful') return answer
      const answers = recordDoubt(push, answer.reason)
      const { accepted, doubted } = countsOf(answers)
      const { doubtedAtMS = Number.POSITIVE_INFINITY } = push
      const isProven = !answers.stopped && answers.lastAcceptedMS > doubtedAtMS && accepted >= doubted
      if (!isProven) return answer
      return answer.proven === 'refused'
        ? { as: 'refused', reason: answer.reason }
        : { as: 'dead', reason: answer.reason, sinceMS: doubtedAtMS }
    },
    states: () => stopped().flatMap(([app, { stopped: stop }]) => (stop ? [stateOf(name, app, stop)] : [])),
  }
}
export type Doubts = ReturnType<typeof createDoubts>

function stateOf(
  network: CredentialsState['network'],
  app: string,
  { sinceMS, lastError, lastErrorAtMS }: NonNullable<Answers['stopped']>,
): CredentialsState {
  const about = { network, app, name: `nearly all devices of ${app}` }
  return { ...about, state: 'refused', sinceMS, lastError, lastErrorAtMS }
}

function recordAnswer(
  answers: Answers,
  { user, token, isAccepted }: { user: string; token: string; isAccepted: boolean },
): void {
  const { latest } = answers
  latest.delete(token)
  latest.set(token, { user, isAccepted, atMS: clock.now() })
  if (isAccepted) answers.lastAcceptedMS = clock.now()
  for (const [one, { atMS }] of latest) {
    // While few probes are sent, the answers before them still count.
    const isOld = !answers.stopped && atMS < clock.now() - windowMS
    if (isOld || latest.size > maxDevices) latest.delete(one)
    else break
  }
}

function countsOf({ latest }: Answers): { accepted: number; doubted: number; doubters: number } {
  const doubted = [...latest.values()].filter(({ isAccepted }) => !isAccepted)
  const doubters = new Set(doubted.map(({ user }) => user)).size
  return { accepted: latest.size - doubted.length, doubted: doubted.length, doubters }
}
