import type { Bus } from '@parley/bus/connect'
import type { CacheLease } from '@parley/bus/control/cache-lease'
import type { Control } from '@parley/bus/control/control'
import type { ApiError } from '@parley/contracts/errors'
import type { Db } from '@parley/db/connect'
import type { UserDoc } from '@parley/db/users/documents'
import type { Login } from '@parley/db/users/logins'
import type { TokenIssuers } from './access/token-issuers.ts'
import type { Recorder } from './audit/recorder.ts'
import type { Outbox } from './events/outbox.ts'
import type { Jobs } from './jobs/work-on-job.ts'
import type { AppLimit } from './limit-per-app.ts'
import type { StreamedTexts } from './messages/streamed-texts.ts'
import type { Censor } from './moderation/censorship.ts'
import type { Moderation } from './moderation/moderation-hook.ts'
import type { Log, Tracing } from './ports.ts'
import type { AddOutcome, MembersToAdd } from './rooms/add-members-batch.ts'
import type { CreatedRoom, RoomToCreate } from './rooms/create-rooms.ts'
import type { Deliveries } from './rooms/mark-delivered.ts'
import type { SearchIndex } from './search/index-messages.ts'
import type { SendResult } from './send/decide.ts'
import type { Flusher } from './send/flush.ts'
import type { Draft } from './send/new-message.ts'
import type { RecentActivity } from './timeline/recent-activity.ts'
import type { Directory } from './users/directory.ts'
import type { UserToWrite, WrittenUser } from './users/write-users.ts'

export interface ChatSettings {
  /** Lifetime of an issued token. */
  tokenDays: number
  /** A batch or an erasure that takes longer continues as a job, in milliseconds. */
  jobAfterMS: number
  /** Minimum interval between two exports requested by a user, in milliseconds. */
  exportEveryMS: number
  /** A streamed message ends after this long without new text, in milliseconds. */
  streamSilenceMS: number
  /** How long published changes are kept, so that they can be republished if the stream is lost. */
  changesKeptHours: number
  /** How long entries of the audit log are kept. */
  auditDays: number
  /** Requests per minute of an API key without its own rate; 0 is no limit. */
  ratePerApiKey: number
}

/** Dependencies of the use cases: external systems, and queues that batch concurrent writes. */
export interface Chat {
  db: Db
  /** Records the change of this call. Absent for users and background work. */
  audit?: Recorder
  bus: Bus
  control: Control
  /** Without it, nothing is cached that other processes change. */
  cacheLease?: CacheLease | undefined
  log: Log
  settings: ChatSettings
  outbox: Outbox
  censor: Censor
  moderation: Moderation
  directory: Directory
  issuers: TokenIssuers
  searchIndex: SearchIndex
  recent: RecentActivity
  flusher: Flusher
  /** Spans of traced requests. */
  tracing: Tracing
  /** Appends a new message to its room. */
  appendMessage(draft: Draft): Promise<SendResult>
  jobs: Jobs
  deliveries: Deliveries
  streamed: StreamedTexts
  /** Limits of concurrent expensive requests. */
  limits: { queries: AppLimit; searches: AppLimit; batches: AppLimit; presence: AppLimit }
  createRoomInBatch(wanted: RoomToCreate): Promise<CreatedRoom | { refused: ApiError }>
  addMembers(wanted: MembersToAdd): Promise<AddOutcome>
  writeUser(user: UserToWrite): Promise<WrittenUser | { refused: ApiError }>
  /** IDs of the rooms that these users, `key(app, id)`, have muted. The result may include other users. */
  findMutedRooms(users: readonly string[]): Promise<ReadonlyMap<string, string[]>>
  /** Users and user groups by `key(app, id)`. The result may include others. */
  findUsers(keys: readonly string[]): Promise<ReadonlyMap<string, UserDoc>>
  /**
   * Records that users, named by `key(app, id)`, joined or created a room. Returns whether all of them exist, possibly
   * together with users of concurrent calls.
   */
  recordJoin(users: readonly string[]): Promise<boolean>
  recordLogin(login: Login): Promise<unknown>
  /** Records that a user was connected until now, even if only briefly. */
  recordActive(active: { app: string; user: string; atMS: number }): Promise<unknown>
}
