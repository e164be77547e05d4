import { batched, batchedWrites } from '@parley/async/batch'
import { isDatabaseAway } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findMutedRoomsByKey } from '@parley/db/rooms/rooms-of-users'
import { recordActiveUsers } from '@parley/db/statistics/active-users'
import { type Login, recordJoin, recordLastSeen, recordLogins } from '@parley/db/users/logins'
import { findUsersByKey } from '@parley/db/users/users'
import { createTokenIssuers } from './access/token-issuers.ts'
import type { Chat, ChatSettings } from './chat.ts'
import { createOutbox } from './events/outbox.ts'
import { createJobs } from './jobs/work-on-job.ts'
import { forKeys, limitPerApp } from './limit-per-app.ts'
import { createStreamedTexts } from './messages/streamed-texts.ts'
import { createCensor } from './moderation/censorship.ts'
import { createModeration } from './moderation/moderation-hook.ts'
import { type HookCalls, noHookCalls, type Tracing } from './ports.ts'
import { addMembersInBatch, type MembersToAdd } from './rooms/add-members-batch.ts'
import { createRooms, type RoomToCreate } from './rooms/create-rooms.ts'
import { createDeliveries } from './rooms/mark-delivered.ts'
import { createSearchIndex } from './search/index-messages.ts'
import { createSendQueue } from './send/append.ts'
import { createFlusher } from './send/flush.ts'
import type { AtPoint } from './send/flush-queue.ts'
import { createRoomCache } from './send/room-cache.ts'
import { createRecentActivity } from './timeline/recent-activity.ts'
import { createDirectory } from './users/directory.ts'
import { createSenderProfiles } from './users/sender-profiles.ts'
import { type UserToWrite, writeUsers } from './users/write-users.ts'

const noTracing: Tracing = { startSpan: () => ({ end: () => undefined }) }

const defaultChatSettings: ChatSettings = {
  tokenDays: 30,
  jobAfterMS: 5_000,
  exportEveryMS: 86_400_000,
  streamSilenceMS: 60_000,
  changesKeptHours: 72,
  auditDays: 400,
  ratePerApiKey: 0,
}

/** The recording of logins is not awaited. Larger batches would delay writes that are. */
const loginsAtOnce = 32
const roomsPerTransaction = 100
const usersPerTransaction = 200
/** Longer lists run on their own. */
const maxInList = 1_000

/** Batches concurrent lists into one round trip. Each caller gets the result of all. */
function batchLists<T>(work: (keys: readonly string[]) => Promise<T>): (keys: readonly string[]) => Promise<T> {
  const together = batched(
    async (lists: (readonly string[])[]) => {
      const outcome = await work(lists.flat())
      return lists.map(() => outcome)
    },
    { max: 100, concurrency: 4, maxWaitMS: 20 },
  )
  return (keys) => (keys.length > maxInList ? work(keys) : together(keys))
}

function createLimits(): Chat['limits'] {
  return {
    queries: limitPerApp('queries', { ...forKeys(4), inAll: 16, waiting: 100, waitMS: 5_000 }),
    searches: limitPerApp('searches', {
      ...{ perUser: 3, perApp: 8, inAll: 16 },
      ...{ waitingPerUser: 20, waiting: 500, waitMS: 5_000 },
    }),
    // When a node dies, all of its clients resubscribe at once.
    presence: limitPerApp('presence', {
      ...{ perUser: 4, perApp: 16, inAll: 32 },
      ...{ waitingPerUser: 200, waiting: 10_000, waitMS: 20_000 },
    }),
    // Each may hold 64 MiB of results; a waiting one holds its 1 MiB body.
    batches: limitPerApp('batches', { ...forKeys(2), inAll: 4, waiting: 50, waitMS: 30_000 }),
  }
}

export function createChat(
  parts: Pick<Chat, 'db' | 'bus' | 'control' | 'cacheLease' | 'log'> & {
    tracing?: Tracing
    hookCalls?: HookCalls
    settings?: Partial<ChatSettings>
    atPoint?: AtPoint
  },
): Chat {
  const { db, bus, control, cacheLease, log, tracing = noTracing, hookCalls = noHookCalls } = parts
  const settings = { ...defaultChatSettings, ...parts.settings }
  const hookParts = { db, log, cacheLease, calls: hookCalls }
  const outbox = createOutbox(db, { bus, control, log, tracing, keptHours: settings.changesKeptHours })
  const profiles = createSenderProfiles(hookParts)
  const censor = createCensor(db)
  const searchIndex = createSearchIndex(db, log)
  const flusher = createFlusher({ db, outbox, log }, parts.atPoint)
  return {
    db,
    bus,
    control,
    cacheLease,
    log,
    tracing,
    settings,
    outbox,
    censor,
    moderation: createModeration(hookParts),
    directory: createDirectory(hookParts),
    issuers: createTokenIssuers(hookParts),
    searchIndex,
    recent: createRecentActivity(),
    flusher,
    jobs: createJobs(settings.jobAfterMS),
    deliveries: createDeliveries({ db, bus }),
    streamed: createStreamedTexts({ db, censor, log }),
    limits: createLimits(),
    appendMessage: createSendQueue({ db, profiles, censor, flusher, cache: createRoomCache() }),
    createRoomInBatch: batched((wanted: RoomToCreate[]) => createRooms({ db, outbox }, wanted), {
      max: roomsPerTransaction,
      concurrency: 2,
      maxWaitMS: 100,
      keyOf: ({ room }) => room.pair ?? room._id,
      isOneItemsFault: (error) => !isDatabaseAway(error),
    }),
    addMembers: batched((wanted: MembersToAdd[]) => addMembersInBatch({ db, outbox }, wanted), {
      max: roomsPerTransaction,
      concurrency: 2,
      maxWaitMS: 100,
      keyOf: ({ by, roomId }) => key(by.app, roomId),
      isOneItemsFault: (error) => !isDatabaseAway(error),
    }),
    writeUser: batched((wanted: UserToWrite[]) => writeUsers({ db, outbox }, wanted), {
      max: usersPerTransaction,
      concurrency: 2,
      maxWaitMS: 100,
      keyOf: ({ app, id }) => key(app, id),
      isOneItemsFault: (error) => !isDatabaseAway(error),
    }),
    findMutedRooms: batchLists((users) => findMutedRoomsByKey(db, users)),
    findUsers: batchLists((keys) => findUsersByKey(db, keys)),
    recordJoin: batchLists((users) => recordJoin(db, users)),
    recordLogin: batchedWrites(
      (logins: Login[]) => Promise.all([recordLogins(db, logins), recordActiveUsers(db, logins)]),
      { max: loginsAtOnce },
    ),
    recordActive: batchedWrites(
      (active: { app: string; user: string; atMS: number }[]) =>
        Promise.all([recordLastSeen(db, active), recordActiveUsers(db, active)]),
      { max: loginsAtOnce },
    ),
  }
}
