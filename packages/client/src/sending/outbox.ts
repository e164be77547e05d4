import type { Message, SentMessage } from '../generated/types.ts'
import { asParleyError, isTransient, ParleyError } from '../parley-error.ts'
import { createBackoff, createPause } from '../pauses.ts'
import type { OutboxStorage } from './outbox-storage.ts'
import { newPendingSend, type PendingSend, type SendOptions, toPayload } from './pending-send.ts'
import { createReceipts } from './receipts.ts'

export interface OutboxOptions {
  storage: OutboxStorage
  me: () => string | undefined
  isConnected: () => boolean
  emit: (event: 'chat message', payload: object) => Promise<unknown>
  onSent: (sent: SentMessage) => void
  /** Called after each change of a room's pending sends. */
  onChange: (roomID: string) => void
}

/** Unsent messages. A room's go out one at a time, in order, retried with their clientMessageID until an outcome. */
export class Outbox {
  readonly #options: OutboxOptions
  #pending: PendingSend[] = []
  readonly #working = new Set<string>()
  readonly #receipts = createReceipts()
  readonly #pause = createPause()
  #isClosed = false
  readonly #stopListening: () => void

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#stopListening = options.storage.onChangeElsewhere(() => void this.#dropDiscarded())
  }

  /** Takes over the sends of earlier pages and other tabs. Those that several tabs send arrive once. */
  async restore(): Promise<void> {
    const { sends, lastUser } = await this.#options.storage.read()
    const me = this.#options.me() ?? lastUser
    const known = new Set(this.#pending.map(({ clientMessageID }) => clientMessageID))
    const left = sends.filter((send) => (send.user ?? me) === me && !known.has(send.clientMessageID))
    this.#pending = [
      ...left.map((send) => (send.state === 'sending' ? { ...send, state: 'queued' as const } : send)),
      ...this.#pending,
    ]
    for (const room of new Set(left.map((send) => send.room))) this.#options.onChange(room)
  }

  /** Call it after each login: sends everything queued. */
  async loggedIn(user: string): Promise<void> {
    const others = this.#pending.filter((send) => send.user !== undefined && send.user !== user)
    this.#pending = this.#pending.filter((send) => !others.includes(send))
    for (const send of this.#pending) {
      send.user = user
      this.#options.storage.update(send)
    }
    for (const { room, clientMessageID } of others) {
      this.#receipts.fail(clientMessageID, new ParleyError('CLOSED', 'another user has logged in'))
      this.#options.onChange(room)
    }
    this.#options.storage.loggedIn(user)
    this.#pause.end()
    await this.restore()
    await this.#dropDiscarded()
    for (const room of new Set(this.#pending.map((send) => send.room))) void this.#work(room)
  }

  ofRoom(roomID: string): PendingSend[] {
    return this.#pending.filter(({ room, thread }) => room === roomID && thread === undefined)
  }

  ofThread(id: string): PendingSend[] {
    return this.#pending.filter(({ thread }) => thread === id)
  }

  /**
   * Resolves with the stored message. Rejects when the send fails for good or is discarded.
   * @throws TypeError if JSON cannot represent the message
   */
  send(
    room: string,
    message: unknown,
    options: SendOptions,
    about: Pick<PendingSend, 'quote' | 'thread'>,
  ): Promise<Message> {
    if (this.#isClosed) return this.#receipts.refuse(isClosed())
    // Throws now if JSON cannot represent the content: it would block the later sends of the room.
    JSON.stringify(message)
    const send = newPendingSend(room, this.#options.me(), message, options, about)
    this.#pending.push(send)
    this.#options.storage.add(send)
    this.#options.onChange(room)
    void this.#work(room)
    return this.#receipts.wait(send.clientMessageID)
  }

  /** Retries a failed send. */
  retry(clientMessageID: string): Promise<Message> {
    if (this.#isClosed) return this.#receipts.refuse(isClosed())
    const known = this.#find(clientMessageID)
    if (!known) return this.#receipts.refuse(new ParleyError('MESSAGE_NOT_FOUND', 'no unsent message has this key'))
    if (known.state === 'failed') {
      const { error: _, triedAtMS: _tried, ...rest } = known
      const send = { ...rest, state: 'queued' as const }
      this.#options.storage.add(send)
      this.#set(send)
      void this.#work(known.room)
    }
    return this.#receipts.wait(clientMessageID)
  }

  /** Drops an unsent message. One in flight may still arrive. */
  discard(clientMessageID: string): void {
    if (this.#find(clientMessageID)) this.#options.storage.discard(clientMessageID)
    this.#discarded(clientMessageID)
  }

  /** The message arrived, by event or acknowledgement. */
  arrived(message: Message): void {
    const { clientMessageID } = message
    if (clientMessageID === undefined) return
    if (this.#forget(clientMessageID)) this.#options.storage.remove(clientMessageID)
    this.#receipts.arrived(clientMessageID, message)
  }

  close(): void {
    this.#isClosed = true
    this.#stopListening()
    this.#receipts.failAll(isClosed())
  }

  async #work(room: string): Promise<void> {
    if (this.#working.has(room)) return
    this.#working.add(room)
    const backoff = createBackoff(500, 30_000)
    let faults = 0
    for (let next = this.#next(room); next && this.#options.isConnected(); next = this.#next(room)) {
      const error = await this.#try(next)
      if (!error) {
        backoff.reset()
        faults = 0
        continue
      }
      faults = error.code === 'INTERNAL_ERROR' ? faults + 1 : 0
      const isOver = isFinal(error, faults)
      this.#put(next.clientMessageID, isOver ? error : undefined)
      // Without a connection, stop: the next login starts over.
      if (!isOver && this.#options.isConnected()) await this.#pause.during(backoff.next(error))
    }
    this.#working.delete(room)
  }

  #next(room: string): PendingSend | undefined {
    return this.#pending.find((send) => send.room === room && send.state === 'queued')
  }

  async #try(queued: PendingSend): Promise<ParleyError | undefined> {
    const { storage, emit, onSent } = this.#options
    const { clientMessageID } = queued
    const { isDiscarded, triedAtMS = Date.now() } = await storage.doneElsewhere(queued)
    if (isDiscarded) this.#discarded(clientMessageID)
    const now = this.#find(clientMessageID)
    if (now?.state !== 'queued') return undefined
    const send = { ...now, triedAtMS: Math.min(triedAtMS, now.triedAtMS ?? triedAtMS), state: 'sending' as const }
    this.#set(send)
    const sent = await tryToSend(send, emit).catch(asParleyError)
    if (sent instanceof ParleyError) return sent
    onSent(sent)
    return undefined
  }

  /** Marks a send as failed, or puts it back into the queue. */
  #put(clientMessageID: string, error: ParleyError | undefined): void {
    const send = this.#find(clientMessageID)
    if (!send) return
    if (!error) return this.#set({ ...send, state: 'queued' })
    const { code, message, status } = error
    this.#set({ ...send, state: 'failed', error: { code, message, status } })
    this.#receipts.fail(clientMessageID, error)
  }

  #find(clientMessageID: string): PendingSend | undefined {
    return this.#pending.find((send) => send.clientMessageID === clientMessageID)
  }

  #set(send: PendingSend): void {
    this.#pending = this.#pending.map((known) => (known.clientMessageID === send.clientMessageID ? send : known))
    this.#options.storage.update(send)
    this.#options.onChange(send.room)
  }

  /** Drops sends that another tab has discarded. */
  async #dropDiscarded(): Promise<void> {
    const { discarded = [] } = await this.#options.storage.read()
    for (const id of discarded) if (this.#find(id)) this.#discarded(id)
  }

  #discarded(clientMessageID: string): void {
    this.#forget(clientMessageID)
    this.#receipts.fail(clientMessageID, new ParleyError('CLOSED', 'the message was discarded'))
  }

  /** Returns whether it was known. */
  #forget(clientMessageID: string): boolean {
    const send = this.#find(clientMessageID)
    if (!send) return false
    this.#pending = this.#pending.filter((known) => known !== send)
    this.#options.onChange(send.room)
    return true
  }
}

const isClosed = (): ParleyError => new ParleyError('CLOSED', 'the client was closed')

/** Parley dedupes a repeated send for 24 hours. One hour is left for clock skew. */
const dedupedMS = 23 * 3_600_000
/** After this many INTERNAL_ERRORs in a row, the send fails. */
const mostFaults = 5

/** Parley accepts 64 KiB of JSON, here in brackets, and closes connections that send far more, at each retry. */
const mostChars = 65_538

/**
 * Tries a send once.
 * @throws ParleyError
 */
async function tryToSend(
  send: PendingSend & { triedAtMS: number },
  emit: (event: 'chat message', payload: object) => Promise<unknown>,
): Promise<SentMessage> {
  if (Date.now() - send.triedAtMS > dedupedMS) {
    throw new ParleyError('OUTCOME_UNKNOWN', 'the message may have arrived: check before you send it again')
  }
  if (JSON.stringify([send.message]).length > mostChars) {
    throw new ParleyError('MESSAGE_TOO_LARGE', 'message is over 64 KiB', 413)
  }
  return (await emit('chat message', toPayload(send))) as SentMessage
}

/** Whether a send has failed for good. After INVALID_TOKEN, the client reconnects with another token. */
function isFinal(error: ParleyError, faults: number): boolean {
  return (error.code !== 'INVALID_TOKEN' && !isTransient(error)) || faults >= mostFaults
}
