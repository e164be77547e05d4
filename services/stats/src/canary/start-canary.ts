import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'
import type { SettingsOf } from '@parley/service/settings'
import type { statsSettings } from '../settings.ts'
import { createCanaryMetrics, runCanary } from './canary.ts'

/**
 * Runs the canary, if configured, until the signal aborts.
 * @throws Error if its keys are missing
 */
export function startCanary(
  { settings, log, metrics }: { settings: SettingsOf<typeof statsSettings>; log: Logger; metrics: Metrics },
  signal: AbortSignal,
): Promise<void> {
  const { url, apiKey, clientKey, everyMS, callbackUrl, callbackHost: host } = settings.canary
  // Declared even without a canary: alerts refer to them.
  const ofCanary = createCanaryMetrics(metrics)
  if (url === undefined) return Promise.resolve()
  if (apiKey === '' || clientKey === '') {
    throw new Error('PARLEY_STATS_CANARY_URL needs PARLEY_STATS_CANARY_API_KEY and PARLEY_STATS_CANARY_CLIENT_KEY')
  }
  const callback =
    callbackUrl === undefined ? undefined : { url: callbackUrl, host, port: Number(new URL(callbackUrl).port || 80) }
  return runCanary(
    { access: { url, apiKey, clientKey }, node: settings.nodeId, everyMS, callback, log, metrics: ofCanary },
    signal,
  )
}
