import type { Chat } from '@parley/chat/chat'
import type { Feeds } from '@parley/chat/events-feed/feeds'
import type { Presence } from '@parley/chat/integrations/stats-report'
import type { Mount } from '../mount.ts'
import { mountTokens } from './access/tokens.ts'
import { type FilesHere, mountFiles } from './files/files.ts'
import { mountConfig } from './integrations/config.ts'
import { mountEvents } from './integrations/events.ts'
import { mountJobs } from './integrations/jobs.ts'
import { mountPush } from './integrations/push.ts'
import { mountStatistics } from './integrations/statistics.ts'
import { mountWebhooks } from './integrations/webhooks.ts'
import { mountDeletions } from './messages/deletions.ts'
import { mountLive } from './messages/live.ts'
import { mountMessages } from './messages/messages.ts'
import { mountPins } from './messages/pins.ts'
import { mountReactions } from './messages/reactions.ts'
import { mountReaders } from './messages/readers.ts'
import { mountScheduled } from './messages/scheduled.ts'
import { mountStreams } from './messages/streams.ts'
import { mountThreads } from './messages/threads.ts'
import { mountTrace } from './messages/trace.ts'
import { mountAppBans } from './moderation/app-bans.ts'
import { mountBans } from './moderation/bans.ts'
import { mountBlocks } from './moderation/blocks.ts'
import { mountReports } from './moderation/reports.ts'
import { mountChanges } from './rooms/changes.ts'
import { mountCommands } from './rooms/commands.ts'
import { mountDelivered } from './rooms/delivered.ts'
import { mountMembers } from './rooms/members.ts'
import { mountReadMarkers } from './rooms/read-markers.ts'
import { mountRoomPreferences } from './rooms/room-preferences.ts'
import { mountRooms } from './rooms/rooms.ts'
import { mountUnread } from './rooms/unread.ts'
import { mountSearch } from './search/search.ts'
import { mountConnections } from './users/connections.ts'
import { mountDevices } from './users/devices.ts'
import { mountGroups } from './users/groups.ts'
import { mountMe } from './users/me.ts'
import { mountPreferences } from './users/preferences.ts'
import { mountPresence } from './users/presence.ts'
import { mountUsers } from './users/users.ts'

/** Every operation of the contract on its use case. */
export function mountAll(mount: Mount, chat: Chat, presence: Presence, feeds: Feeds, files: FilesHere): void {
  mountFiles(mount, chat, files)
  mountMessages(mount, chat)
  mountReactions(mount, chat)
  mountReaders(mount, chat)
  mountThreads(mount, chat)
  mountTrace(mount, chat)
  mountScheduled(mount, chat)
  mountDeletions(mount, chat)
  mountLive(mount, chat)
  mountStreams(mount, chat)
  mountPins(mount, chat)
  mountRooms(mount, chat)
  mountChanges(mount, chat)
  mountCommands(mount, chat)
  mountReadMarkers(mount, chat)
  mountDelivered(mount, chat)
  mountUnread(mount, chat)
  mountRoomPreferences(mount, chat)
  mountMembers(mount, chat)
  mountUsers(mount, chat)
  mountConnections(mount, chat)
  mountMe(mount, chat)
  mountDevices(mount, chat)
  mountGroups(mount, chat)
  mountPreferences(mount, chat)
  mountPresence(mount, chat, presence)
  mountTokens(mount, chat)
  mountBans(mount, chat)
  mountAppBans(mount, chat)
  mountBlocks(mount, chat)
  mountReports(mount, chat)
  mountSearch(mount, chat)
  mountPush(mount, chat)
  mountConfig(mount, chat)
  mountStatistics(mount, chat, presence)
  mountWebhooks(mount, chat)
  mountEvents(mount, chat, feeds)
  mountJobs(mount, chat)
}
