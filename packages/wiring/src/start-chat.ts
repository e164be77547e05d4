import { createControl } from '@parley/bus/control/control'
import type { Chat, ChatSettings } from '@parley/chat/chat'
import { createChat } from '@parley/chat/create-chat'
import { findNodesWithout } from '@parley/presence/online-devices'
import type { Context } from '@parley/service/lifecycle'
import type { SettingsOf } from '@parley/service/settings'
import type { sharedSettings } from '@parley/service/shared-settings'
import type { Servers } from './connect-servers.ts'
import { createHookCalls } from './hook-calls.ts'

type StartSettings = Pick<SettingsOf<typeof sharedSettings>, 'changesKeptHours' | 'moderate' | 'stream'>

/** Makes the parameter of all use cases. At the stop, their work is finished while the servers are still connected. */
export function startChat(
  context: Pick<Context<StartSettings>, 'settings' | 'log' | 'metrics' | 'tracing' | 'onStop'>,
  { db, bus, presence }: Servers,
  own: Partial<ChatSettings> = {},
): Chat {
  const { settings, log, metrics, tracing, onStop } = context
  const control = createControl(bus, (nodes, app, users) => findNodesWithout(presence, nodes, app, users))
  onStop('control', () => control.stop())
  const changesKeptHours = settings.changesKeptHours ?? settings.stream.maxAgeHours
  const hookCalls = createHookCalls(settings.moderate, metrics)
  onStop('hook calls', () => hookCalls.close())
  const chat = createChat({ db, bus, control, log, tracing, hookCalls, settings: { changesKeptHours, ...own } })
  onStop('outbox', () => chat.outbox.drained())
  onStop('flusher', () => chat.flusher.drained())
  onStop('search index', () => chat.searchIndex.stop())
  onStop('jobs', () => chat.jobs.stop())
  return chat
}
