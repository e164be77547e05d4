import { clock } from '@parley/async/clock'
import type { CredentialsState } from '@parley/presence/processes'
import type { Logger } from '@parley/service/log'
import type { PushMetrics } from '../push-metrics.ts'
import type { PushAnswer } from './network.ts'

/**
 * Tracks whether a network accepts our credentials. While it does not, one push at a time is sent as a probe.
 * @param parts its `credentials` are kept up to date, for the report of this process
 */
export function watchCredentials(
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
