import type { SentMessage } from '../generated/types.ts'
import type { OutboxStorage } from './outbox-storage.ts'

export interface OutboxOptions {
  storage: OutboxStorage
  me: () => string | undefined
  isConnected: () => boolean
  emit: (event: 'chat message', payload: object) => Promise<unknown>
  onSent: (sent: SentMessage) => void
  /** Called after each change of a room's pending sends. */
  onChange: (roomID: string) => void
}
