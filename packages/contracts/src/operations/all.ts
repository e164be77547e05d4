import type { Operation } from '../operation.ts'
import * as keys from './access/keys.ts'
import * as tokens from './access/tokens.ts'
import * as adminAudit from './admin/audit.ts'
import * as adminClients from './admin/clients.ts'
import * as adminDevices from './admin/devices.ts'
import * as adminOverview from './admin/overview.ts'
import * as adminRooms from './admin/rooms.ts'
import * as adminSearch from './admin/search.ts'
import * as adminTimeline from './admin/timeline.ts'
import * as adminUsers from './admin/users.ts'
import * as consoleAccount from './console/account.ts'
import * as consoleOperators from './console/operators.ts'
import * as consolePasskeys from './console/passkeys.ts'
import * as consoleSession from './console/session.ts'
import * as userExport from './data/export.ts'
import * as holds from './data/holds.ts'
import * as files from './files/files.ts'
import * as config from './integrations/config.ts'
import * as events from './integrations/events.ts'
import * as jobs from './integrations/jobs.ts'
import * as push from './integrations/push.ts'
import * as statistics from './integrations/statistics.ts'
import * as webhookReceivers from './integrations/webhook-receivers.ts'
import * as webhooks from './integrations/webhooks.ts'
import * as deletions from './messages/deletions.ts'
import * as linkCards from './messages/link-cards.ts'
import * as live from './messages/live.ts'
import * as messages from './messages/messages.ts'
import * as pins from './messages/pins.ts'
import * as reactions from './messages/reactions.ts'
import * as readers from './messages/readers.ts'
import * as savedMessages from './messages/saved-messages.ts'
import * as scheduled from './messages/scheduled.ts'
import * as streams from './messages/streams.ts'
import * as threads from './messages/threads.ts'
import * as trace from './messages/trace.ts'
import * as appBans from './moderation/app-bans.ts'
import * as bans from './moderation/bans.ts'
import * as blocks from './moderation/blocks.ts'
import * as censorship from './moderation/censorship.ts'
import * as reports from './moderation/reports.ts'
import * as changes from './rooms/changes.ts'
import * as commands from './rooms/commands.ts'
import * as delivered from './rooms/delivered.ts'
import * as members from './rooms/members.ts'
import * as readMarkers from './rooms/read-markers.ts'
import * as roomPreferences from './rooms/room-preferences.ts'
import * as rooms from './rooms/rooms.ts'
import * as unread from './rooms/unread.ts'
import * as search from './search/search.ts'
import * as connections from './users/connections.ts'
import * as devices from './users/devices.ts'
import * as directory from './users/directory.ts'
import * as groups from './users/groups.ts'
import * as me from './users/me.ts'
import * as notifications from './users/notifications.ts'
import * as preferences from './users/preferences.ts'
import * as presence from './users/presence.ts'
import * as users from './users/users.ts'

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'path' in value && 'access' in value
}

/** Every HTTP operation of the contract. */
export const allOperations: readonly Operation[] = [
  messages,
  reactions,
  readers,
  linkCards,
  threads,
  trace,
  scheduled,
  savedMessages,
  deletions,
  files,
  live,
  streams,
  pins,
  rooms,
  readMarkers,
  delivered,
  commands,
  unread,
  roomPreferences,
  changes,
  members,
  users,
  directory,
  me,
  connections,
  devices,
  groups,
  notifications,
  preferences,
  presence,
  tokens,
  keys,
  adminRooms,
  adminClients,
  adminDevices,
  adminAudit,
  adminSearch,
  adminTimeline,
  consoleSession,
  consoleAccount,
  consolePasskeys,
  consoleOperators,
  adminUsers,
  adminOverview,
  bans,
  appBans,
  blocks,
  censorship,
  reports,
  search,
  push,
  config,
  statistics,
  webhooks,
  webhookReceivers,
  events,
  jobs,
  holds,
  userExport,
].flatMap((file) => Object.values(file).filter(isOperation))
