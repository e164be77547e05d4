import { createControl } from '@parley/bus/control/control'
import { type Chat, type ChatSettings, createChat } from '@parley/chat/chat'
import { findNodesWithout } from '@parley/presence/online-devices'
import type { Context } from '@parley/service/lifecycle'
import type { Servers } from './connect-servers.ts'

/** Makes the parameter of all use cases. At the stop, their work is finished while the servers are still connected. */
export function startChat(
  { log, tracing, onStop }: Pick<Context<unknown>, 'log' | 'tracing' | 'onStop'>,
  { db, bus, presence }: Servers,
  settings: Partial<ChatSettings> = {},
): Chat {
  const control = createControl(bus, (nodes, app, users) => findNodesWithout(presence, nodes, app, users))
  onStop('control', () => control.stop())
  const chat = createChat({ db, bus, control, log, tracing, settings })
  onStop('outbox', () => chat.outbox.drained())
  onStop('settler', () => chat.settler.idle())
  onStop('search index', () => chat.searchIndex.stop())
  onStop('jobs', () => chat.jobs.stop())
  return chat
}
