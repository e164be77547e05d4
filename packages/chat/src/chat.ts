import { batched } from '@parley/async/batch'
import type { Bus } from '@parley/bus/connect'
import type { Control } from '@parley/bus/control/control'
import type { ApiError } from '@parley/contracts/errors'
import { type Db, isDatabaseAway } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findMutedRoomsByKey } from '@parley/db/rooms/rooms-of-users'
import { noteActiveUsers } from '@parley/db/statistics/active-users'
import type { UserDoc } from '@parley/db/users/documents'
import { type Login, recordJoin, recordLastSeen, recordLogins } from '@parley/db/users/logins'
import { findUsersByKey } from '@parley/db/users/users'
import { createOutbox, type Outbox } from './events/outbox.ts'
import { createJobs, type Jobs } from './jobs/work-on-job.ts'
import { type AppLimit, forKeys, limitPerApp } from './limit-per-app.ts'
import { createStreamedTexts, type StreamedTexts } from './messages/streaming/streamed-texts.ts'
import { type Censor, createCensor } from './moderation/censorship.ts'
import { createModeration, type Moderation } from './moderation/moderation-hook.ts'
import { type HookCalls, type Log, noHookCalls, type Steps } from './ports.ts'
import { type MadeRoom, makeRooms, type WantedRoom } from './rooms/make-rooms.ts'
import { type AddOutcome, addMembersTogether, type MembersToAdd } from './rooms/members/add-members-together.ts'
import { createDeliveries, type Deliveries } from './rooms/unread/mark-delivered.ts'
import { createSearchIndex, type SearchIndex } from './search/index-messages.ts'
import { createSendQueue } from './send/append.ts'
import type { SendResult } from './send/decide.ts'
import { createFlusher, type Flusher } from './send/flush.ts'
import type { AtPoint } from './send/flush-queue.ts'
import type { Draft } from './send/new-message.ts'
import { createSenderProfiles } from './send/publish.ts'
import { createRoomCache } from './send/room-cache.ts'
import { type UserToWrite, type WrittenUser, writeUsers } from './users/write-users.ts'

const noSteps: Steps = { step: () => ({ end: () => undefined }) }

export interface ChatSettings {
  /** Lifetime of an issued token. */
  tokenDays: number
  /** A batch or an erasure that takes longer goes on as a job, in milliseconds. */
  jobAfterMS: number
  /** After this long without a piece a streamed message ends, in milliseconds. */
  streamSilenceMS: number
  /** How long published changes are kept, to be published again when the stream is lost. */
  changesKeptHours: number
}

/** The parameter of every use case: the outside systems, and the queues that batched concurrent writes. */
export interface Chat {
  db: Db
  bus: Bus
  control: Control
  log: Log
  settings: ChatSettings
  outbox: Outbox
  censor: Censor
  moderation: Moderation
  searchIndex: SearchIndex
  flusher: Flusher
  /** Appends a new message to its room. */
  appendMessage(draft: Draft): Promise<SendResult>
  jobs: Jobs
  deliveries: Deliveries
  streamed: StreamedTexts
  /** Limits how many expensive requests run at a time. */
  limits: { queries: AppLimit; searches: AppLimit; batches: AppLimit; presence: AppLimit }
  makeRoom(wanted: WantedRoom): Promise<MadeRoom | { refused: ApiError }>
  addMembers(wanted: MembersToAdd): Promise<AddOutcome>
  writeUser(user: UserToWrite): Promise<WrittenUser | { refused: ApiError }>
  /** The IDs of the rooms that these users, `key(app, id)`, muted, by key; maybe of others too. */
  findMutedRooms(users: readonly string[]): Promise<ReadonlyMap<string, string[]>>
  /** The users and user groups of these keys, `key(app, id)`, by key; maybe others too. */
  findUsers(keys: readonly string[]): Promise<ReadonlyMap<string, UserDoc>>
  /** Notes that users, by `key(app, id)`, joined or created a room; whether all of them, and maybe of others, are there. */
  recordJoin(users: readonly string[]): Promise<boolean>
  recordLogin(login: Login): Promise<unknown>
  /** Records that a user was connected until now, however briefly. */
  recordActive(active: { app: string; user: string; atMS: number }): Promise<unknown>
}

const defaultChatSettings: ChatSettings = {
  tokenDays: 30,
  jobAfterMS: 5_000,
  streamSilenceMS: 60_000,
  changesKeptHours: 72,
}

/** Recording logins is never awaited. A larger batch would delay writes that are. */
const loginsAtOnce = 32
const roomsPerTransaction = 100
const usersPerTransaction = 200
/** Lists that are longer are looked up by themselves. */
const mostInList = 1_000

/** One round trip for lists that come together: each gets the outcome of all. */
function gatherLists<T>(work: (keys: readonly string[]) => Promise<T>): (keys: readonly string[]) => Promise<T> {
  const together = batched(
    async (lists: (readonly string[])[]) => {
      const outcome = await work(lists.flat())
      return lists.map(() => outcome)
    },
    { most: 100, concurrency: 4, maxWaitMS: 20 },
  )
  return (keys) => (keys.length > mostInList ? work(keys) : together(keys))
}

function createLimits(): Chat['limits'] {
  return {
    queries: limitPerApp('queries', { ...forKeys(4), inAll: 16, waiting: 100, waitMS: 5_000 }),
    searches: limitPerApp('searches', {
      ...{ perUser: 3, perApp: 8, inAll: 16 },
      ...{ waitingPerUser: 20, waiting: 500, waitMS: 5_000 },
    }),
    // After a node died all its clients subscribe again at once.
    presence: limitPerApp('presence', {
      ...{ perUser: 4, perApp: 16, inAll: 32 },
      ...{ waitingPerUser: 200, waiting: 10_000, waitMS: 20_000 },
    }),
    // Each may hold 64 MiB of outcomes, and a waiting one the 1 MiB of its body.
    batches: limitPerApp('batches', { ...forKeys(2), inAll: 4, waiting: 50, waitMS: 30_000 }),
  }
}

export function createChat(
  parts: Pick<Chat, 'db' | 'bus' | 'control' | 'log'> & {
    tracing?: Steps
    hookCalls?: HookCalls
    settings?: Partial<ChatSettings>
    atPoint?: AtPoint
  },
): Chat {
  const { db, bus, control, log, tracing = noSteps, hookCalls = noHookCalls } = parts
  const settings = { ...defaultChatSettings, ...parts.settings }
  const outbox = createOutbox(db, { bus, control, log, steps: tracing, keptHours: settings.changesKeptHours })
  const profiles = createSenderProfiles(db)
  const censor = createCensor(db)
  const searchIndex = createSearchIndex(db, log)
  const flusher = createFlusher({ db, outbox, log }, parts.atPoint)
  return {
    db,
    bus,
    control,
    log,
    settings,
    outbox,
    censor,
    moderation: createModeration({ db, log, calls: hookCalls }),
    searchIndex,
    flusher,
    jobs: createJobs(settings.jobAfterMS),
    deliveries: createDeliveries({ db, bus }),
    streamed: createStreamedTexts({ db, censor, log }),
    limits: createLimits(),
    appendMessage: createSendQueue({ db, profiles, censor, flusher, cache: createRoomCache() }),
    makeRoom: batched((wanted: WantedRoom[]) => makeRooms({ db, outbox }, wanted), {
      most: roomsPerTransaction,
      concurrency: 2,
      maxWaitMS: 100,
      keyOf: ({ room }) => room.pair ?? room._id,
      isOneItemsFault: (error) => !isDatabaseAway(error),
    }),
    addMembers: batched((wanted: MembersToAdd[]) => addMembersTogether({ db, outbox }, wanted), {
      most: roomsPerTransaction,
      concurrency: 2,
      maxWaitMS: 100,
      keyOf: ({ by, roomId }) => key(by.app, roomId),
      isOneItemsFault: (error) => !isDatabaseAway(error),
    }),
    writeUser: batched((wanted: UserToWrite[]) => writeUsers({ db, outbox }, wanted), {
      most: usersPerTransaction,
      concurrency: 2,
      maxWaitMS: 100,
      keyOf: ({ app, id }) => key(app, id),
      isOneItemsFault: (error) => !isDatabaseAway(error),
    }),
    findMutedRooms: gatherLists((users) => findMutedRoomsByKey(db, users)),
    findUsers: gatherLists((keys) => findUsersByKey(db, keys)),
    recordJoin: gatherLists((users) => recordJoin(db, users)),
    recordLogin: batched(
      async (logins: Login[]) => {
        await Promise.all([recordLogins(db, logins), noteActiveUsers(db, logins)])
        return logins
      },
      { most: loginsAtOnce },
    ),
    recordActive: batched(
      async (active: { app: string; user: string; atMS: number }[]) => {
        await Promise.all([recordLastSeen(db, active), noteActiveUsers(db, active)])
        return active
      },
      { most: loginsAtOnce },
    ),
  }
}
