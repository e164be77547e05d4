import { createControl } from '@parley/bus/control/control'
import { type Chat, type ChatSettings, createChat } from '@parley/chat/chat'
import { findNodesWithout } from '@parley/presence/online-devices'
import type { Context } from '@parley/service/lifecycle'
import type { SettingsOf } from '@parley/service/settings'
import type { sharedSettings } from '@parley/service/shared-settings'
import type { Servers } from './connect-servers.ts'

type StartSettings = Pick<SettingsOf<typeof sharedSettings>, 'changesKeptHours' | 'stream'>

/** Makes the parameter of all use cases. At the stop, their work is finished while the servers are still connected. */
export function startChat(
  { settings, log, tracing, onStop }: Pick<Context<StartSettings>, 'settings' | 'log' | 'tracing' | 'onStop'>,
  { db, bus, presence }: Servers,
  own: Partial<ChatSettings> = {},
): Chat {
  const control = createControl(bus, (nodes, app, users) => findNodesWithout(presence, nodes, app, users))
  onStop('control', () => control.stop())
  const changesKeptHours = settings.changesKeptHours ?? settings.stream.maxAgeHours
  const chat = createChat({ db, bus, control, log, tracing, settings: { changesKeptHours, ...own } })
  onStop('outbox', () => chat.outbox.drained())
  onStop('settler', () => chat.settler.idle())
  onStop('search index', () => chat.searchIndex.stop())
  onStop('jobs', () => chat.jobs.stop())
  return chat
}
