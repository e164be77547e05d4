import { answerNodeRequests } from '@parley/bus/control/ask-nodes'
import { holdCacheLease } from '@parley/bus/control/cache-lease'
import { createControl } from '@parley/bus/control/control'
import type { Chat, ChatSettings } from '@parley/chat/chat'
import { createChat } from '@parley/chat/create-chat'
import { activityRequest, type BreakerAnswer, breakerRequest } from '@parley/contracts/bus/node-requests'
import { newId } from '@parley/db/messages/messages'
import { findNodesWithout } from '@parley/presence/online-devices'
import type { Context } from '@parley/service/lifecycle'
import type { SettingsOf } from '@parley/service/settings'
import type { sharedSettings } from '@parley/service/shared-settings'
import type { Servers } from './connect-servers.ts'
import { createHookCalls } from './hook-calls.ts'

type StartSettings = Pick<SettingsOf<typeof sharedSettings>, 'changesKeptHours' | 'moderate' | 'nodeId' | 'stream'>

/** Creates the `Chat` that all use cases take. On stop, pending work finishes while the servers are still connected. */
export function startChat(
  context: Pick<Context<StartSettings>, 'settings' | 'log' | 'metrics' | 'tracing' | 'onStop'>,
  { db, bus, presence, figures }: Servers,
  own: Partial<ChatSettings> = {},
): Chat {
  const { settings, log, metrics, tracing, onStop } = context
  const control = createControl(bus, (nodes, app, users) => findNodesWithout(presence, nodes, app, users))
  onStop('control', () => control.stop())
  const cacheLease = holdCacheLease(bus, newId(), (error) =>
    log.warn({ err: error }, 'cache lease not renewed: nothing is cached meanwhile'),
  )
  onStop('cache lease', () => cacheLease.stop())
  const changesKeptHours = settings.changesKeptHours ?? settings.stream.maxAgeHours
  const hookCalls = createHookCalls(settings.moderate, metrics, figures)
  onStop('hook calls', () => hookCalls.close())
  const chat = createChat({
    ...{ db, bus, control, cacheLease, log, tracing, hookCalls },
    settings: { changesKeptHours, ...own },
  })
  const breaker = answerNodeRequests(bus, settings.nodeId, {
    request: 'breaker',
    schema: breakerRequest,
    answer: ({ app }): BreakerAnswer => chat.moderation.breakerOf(app) ?? null,
  })
  onStop('breaker', () => breaker.unsubscribe())
  const activity = answerNodeRequests(bus, settings.nodeId, {
    request: 'activity',
    schema: activityRequest,
    answer: ({ app, user }) => chat.recent.of(app, user),
  })
  onStop('activity', () => activity.unsubscribe())
  onStop('outbox', () => chat.outbox.drained())
  onStop('flusher', () => chat.flusher.drained())
  onStop('search index', () => chat.searchIndex.stop())
  onStop('jobs', () => chat.jobs.stop())
  return chat
}
