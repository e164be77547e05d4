import type { Presence, Store } from '@parley/client'
import { useChat, useStore } from './chat.ts'

const nobody: Store<Presence | undefined> = { get: () => undefined, subscribe: () => () => undefined }

/** A user's presence, watched while shown. */
export function usePresence(user: string | undefined): Presence | undefined {
  const { client } = useChat()
  return useStore(user === undefined ? nobody : client.presence(user))
}
