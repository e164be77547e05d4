import { gatewaySettings } from '@parley/api-gateway/settings'
import { pushSettings } from '@parley/push/settings'
import { realtimeSettings } from '@parley/realtime/settings'
import { sharedSettings } from '@parley/service/shared-settings'
import { statsSettings } from '@parley/stats/settings'

/** The settings of all services, by service. */
export const allSettings = {
  ...sharedSettings,
  gateway: gatewaySettings,
  realtime: realtimeSettings,
  push: pushSettings,
  stats: statsSettings,
}
