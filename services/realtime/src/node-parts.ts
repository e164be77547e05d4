import type { Bus } from '@parley/bus/connect'
import type { Chat } from '@parley/chat/chat'
import type { AppFigures } from '@parley/presence/app-figures'
import type { Presence } from '@parley/presence/connect'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'
import type { SettingsOf } from '@parley/service/settings'
import type { Tracing } from '@parley/service/trace'
import type { realtimeSettings } from './settings.ts'

export interface NodeParts {
  /** Announces whether this node registers its users; resolves when the senders of node commands know. */
  announce: () => Promise<void>
  settings: SettingsOf<typeof realtimeSettings>
  chat: Chat
  bus: Bus
  presence: Presence
  figures: Pick<AppFigures, 'add'>
  log: Logger
  metrics: Metrics
  tracing: Tracing
  /** Whether the bus was away and the node has not finished its resync. */
  isBehind: () => boolean
}
