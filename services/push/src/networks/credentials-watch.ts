import { clock } from '@parley/async/clock'
import type { Logger } from '@parley/service/log'
import type { PushMetrics } from '../push-metrics.ts'
import type { PushAnswer } from './network.ts'

/** Whether a network takes our credentials: while it does not, one push at a time tries whether it does again. */
export interface CredentialsWatch {
  /** While the network refuses our credentials. */
  readonly isStopped: boolean
  /** How long to wait until one push is tried, in milliseconds; 0 for now. */
  waitMS(): number
  note(answer: PushAnswer): void
}

export function watchCredentials(
  { name, probeMS, metrics, log }: { name: string; probeMS: number; metrics: PushMetrics; log: Logger },
  onTakenAgain: () => void,
): CredentialsWatch {
  let probeAtMS: number | undefined
  metrics.stopped.set({ network: name }, 0)
  return {
    get isStopped() {
      return probeAtMS !== undefined
    },
    waitMS: () => Math.max(0, (probeAtMS ?? 0) - clock.now()),
    note(answer) {
      if ('isOurs' in answer) return
      if (answer.as === 'credentials') {
        if (probeAtMS === undefined || probeAtMS <= clock.now()) {
          log.error(
            { network: name, reason: answer.reason },
            'push network refuses our credentials: nothing is sent to it',
          )
        }
        probeAtMS = clock.now() + probeMS
        metrics.stopped.set({ network: name }, 1)
      } else if (answer.as !== 'again' && probeAtMS !== undefined) {
        log.info({ network: name }, 'push network accepts our credentials again')
        probeAtMS = undefined
        metrics.stopped.set({ network: name }, 0)
        onTakenAgain()
      }
    },
  }
}
