import type { Bus } from '@parley/bus/connect'
import type { Control } from '@parley/bus/control/control'
import type { ApiError } from '@parley/contracts/errors'
import type { Db } from '@parley/db/connect'
import type { UserDoc } from '@parley/db/users/documents'
import type { Login } from '@parley/db/users/logins'
import type { TokenIssuers } from './access/own-logins/token-issuers.ts'
import type { Recorder } from './audit/recorder.ts'
import type { Outbox } from './events/outbox.ts'
import type { Jobs } from './jobs/work-on-job.ts'
import type { AppLimit } from './limit-per-app.ts'
import type { StreamedTexts } from './messages/streaming/streamed-texts.ts'
import type { Censor } from './moderation/censorship.ts'
import type { Moderation } from './moderation/moderation-hook.ts'
import type { Log, Steps } from './ports.ts'
import type { MadeRoom, WantedRoom } from './rooms/make-rooms.ts'
import type { AddOutcome, MembersToAdd } from './rooms/members/add-members-together.ts'
import type { Deliveries } from './rooms/unread/mark-delivered.ts'
import type { SearchIndex } from './search/index-messages.ts'
import type { SendResult } from './send/decide.ts'
import type { Flusher } from './send/flush.ts'
import type { Draft } from './send/new-message.ts'
import type { Directory } from './users/directory.ts'
import type { UserToWrite, WrittenUser } from './users/write-users.ts'

export interface ChatSettings {
  /** Lifetime of an issued token. */
  tokenDays: number
  /** A batch or an erasure that takes longer continues as a job, in milliseconds. */
  jobAfterMS: number
  /** Between two exports that a user asks for. */
  exportEveryMS: number
  /** A streamed message ends after this long without a piece, in milliseconds. */
  streamSilenceMS: number
  /** How long published changes are kept, to be republished if the stream is lost. */
  changesKeptHours: number
  /** How long entries of the audit log are kept. */
  auditDays: number
}

/** The parameter of every use case: the outside systems, and the queues that batch concurrent writes. */
export interface Chat {
  db: Db
  /** Records the change of this call; absent for users and background work. */
  audit?: Recorder
  bus: Bus
  control: Control
  log: Log
  settings: ChatSettings
  outbox: Outbox
  censor: Censor
  moderation: Moderation
  directory: Directory
  issuers: TokenIssuers
  searchIndex: SearchIndex
  flusher: Flusher
  /** Spans of traced requests. */
  steps: Steps
  /** Appends a new message to its room. */
  appendMessage(draft: Draft): Promise<SendResult>
  jobs: Jobs
  deliveries: Deliveries
  streamed: StreamedTexts
  /** Limits how many expensive requests run at once. */
  limits: { queries: AppLimit; searches: AppLimit; batches: AppLimit; presence: AppLimit }
  makeRoom(wanted: WantedRoom): Promise<MadeRoom | { refused: ApiError }>
  addMembers(wanted: MembersToAdd): Promise<AddOutcome>
  writeUser(user: UserToWrite): Promise<WrittenUser | { refused: ApiError }>
  /** The IDs of the rooms that these users, `key(app, id)`, muted, by key; can include others. */
  findMutedRooms(users: readonly string[]): Promise<ReadonlyMap<string, string[]>>
  /** The users and user groups of these keys, `key(app, id)`, by key; can include others. */
  findUsers(keys: readonly string[]): Promise<ReadonlyMap<string, UserDoc>>
  /** Records that users, by `key(app, id)`, joined or created a room; returns whether all of them, and possibly others, exist. */
  recordJoin(users: readonly string[]): Promise<boolean>
  recordLogin(login: Login): Promise<unknown>
  /** Records that a user was connected until now, however briefly. */
  recordActive(active: { app: string; user: string; atMS: number }): Promise<unknown>
}
