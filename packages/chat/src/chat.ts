import type { Bus } from '@parley/bus/connect'
import type { Control } from '@parley/bus/control'
import type { Db } from '@parley/db/connect'
import { gather } from '@parley/db/gather'
import { key } from '@parley/db/keys'
import { noteActiveUsers } from '@parley/db/stats-buckets'
import { type Login, recordLogins } from '@parley/db/users'
import { type AcceptedDraft, acceptMessages, type Draft, type Refusal } from './accept-messages.ts'
import { type Censor, createCensor } from './censorship.ts'
import { createSearchIndex, type SearchIndex } from './index-messages.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { createSenderProfiles } from './sender-profiles.ts'

/** The part of a pino logger that use cases need. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The part of tracing that use cases need: a step on the way of a request, told to have ended. */
export interface Steps {
  step(
    name: string,
    kind: 'producer',
    request: string | undefined,
  ): { end(attributes?: Record<string, string | number>, error?: Error): void }
}

const noSteps: Steps = { step: () => ({ end: () => undefined }) }

export interface ChatSettings {
  /** Lifetime of an issued token. */
  tokenDays: number
}

/** What every use case is given: the outside systems, and the queues that gather concurrent writes. */
export interface Chat {
  db: Db
  bus: Bus
  control: Control
  log: Log
  settings: ChatSettings
  outbox: Outbox
  censor: Censor
  searchIndex: SearchIndex
  accept(draft: Draft): Promise<AcceptedDraft | Refusal>
  recordLogin(login: Login): Promise<unknown>
  /** A user was connected until now: he is among the users of this time, however short it was. */
  recordActive(active: { app: string; user: string; atMS: number }): Promise<unknown>
}

const defaultChatSettings: ChatSettings = { tokenDays: 30 }

/** Messages in one transaction at most: what bounds the time that others wait for it. */
const messagesPerTransaction = 500
/** One at a time makes the largest batches; the others are for when it takes long, or hangs on a room. */
const transactionsAtOnce = 4
const patienceMS = 20

export function createChat(
  parts: Pick<Chat, 'db' | 'bus' | 'control' | 'log'> & { tracing?: Steps; settings?: Partial<ChatSettings> },
): Chat {
  const { db, bus, control, log, tracing = noSteps } = parts
  const outbox = createOutbox(db, bus, log, tracing)
  const profiles = createSenderProfiles(db)
  const censor = createCensor()
  const searchIndex = createSearchIndex(db, log)
  return {
    db,
    bus,
    control,
    log,
    settings: { ...defaultChatSettings, ...parts.settings },
    outbox,
    censor,
    searchIndex,
    accept: gather(
      async (drafts: Draft[]) => {
        const outcomes = await acceptMessages({ db, outbox, profiles, censor }, drafts)
        for (const outcome of outcomes) if ('message' in outcome) searchIndex.soon(outcome.message.roomKey)
        return outcomes
      },
      {
        most: messagesPerTransaction,
        concurrency: transactionsAtOnce,
        patienceMS,
        keyOf: ({ app, room }) => key(app, room),
      },
    ),
    recordLogin: gather(
      async (logins: Login[]) => {
        await Promise.all([recordLogins(db, logins), noteActiveUsers(db, logins)])
        return logins
      },
      { most: 1_000 },
    ),
    recordActive: gather(
      async (active: { app: string; user: string; atMS: number }[]) => {
        await noteActiveUsers(db, active)
        return active
      },
      { most: 1_000 },
    ),
  }
}
