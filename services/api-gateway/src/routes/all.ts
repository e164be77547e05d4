import type { Chat } from '@parley/chat/chat'
import type { Feeds } from '@parley/chat/events-feed/feeds'
import type { Presence } from '@parley/chat/integrations/stats-report'
import type { Mount } from '../mount.ts'
import { mountAdministration } from './administration.ts'
import { mountApiKeys } from './api-keys.ts'
import { mountConfiguration } from './configuration.ts'
import { mountData } from './data.ts'
import { mountEvents } from './events.ts'
import { type FilesHere, mountFiles } from './files.ts'
import { mountGroups } from './groups.ts'
import { mountJobs } from './jobs.ts'
import { mountMembers } from './members.ts'
import { mountMessages } from './messages.ts'
import { mountModeration } from './moderation.ts'
import { mountMonitoring } from './monitoring.ts'
import { mountMutes } from './mutes.ts'
import { mountPreferences } from './preferences.ts'
import { mountPresence } from './presence.ts'
import { mountPush } from './push.ts'
import { mountRooms } from './rooms.ts'
import { mountUnreadCounts } from './unread-counts.ts'
import { mountUsersAndTokens } from './users-and-tokens.ts'
import { mountWebhooks } from './webhooks.ts'

/** Mounts every operation of the contract on its use case: one file per tag. */
export function mountAll(mount: Mount, chat: Chat, presence: Presence, feeds: Feeds, files: FilesHere): void {
  mountAdministration(mount, chat, presence)
  mountApiKeys(mount, chat)
  mountConfiguration(mount, chat)
  mountData(mount, chat, files)
  mountEvents(mount, chat, feeds)
  mountFiles(mount, chat, files)
  mountGroups(mount, chat)
  mountJobs(mount, chat, files)
  mountMembers(mount, chat)
  mountMessages(mount, chat)
  mountModeration(mount, chat, presence)
  mountMonitoring(mount, chat, presence)
  mountMutes(mount, chat)
  mountPreferences(mount, chat)
  mountPresence(mount, chat, presence)
  mountPush(mount, chat)
  mountRooms(mount, chat)
  mountUnreadCounts(mount, chat)
  mountUsersAndTokens(mount, chat)
  mountWebhooks(mount, chat, presence)
}
