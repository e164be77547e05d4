import { isConnected, type ParleyError, type Room, type Thread } from '@parley/client'
import { useEffect, useState } from 'preact/hooks'
import { useChat } from '../state/chat.ts'
import { when } from '../state/when.ts'

interface Opened {
  isReady: boolean
  /** Why the user cannot see it. */
  error?: ParleyError
}

/** Opens a room or thread. Without a connection, retries once connected. */
export function useOpened(shown: Room | Thread): Opened {
  const { client } = useChat()
  const [opened, setOpened] = useState<Opened>({ isReady: false })
  useEffect(() => {
    let isCurrent = true
    const show = (now: Opened) => isCurrent && setOpened(now)
    const open = async (): Promise<void> => {
      try {
        await shown.open()
        show({ isReady: true })
      } catch (error) {
        if (isConnected(client.connection.get())) return void show({ isReady: false, error: error as ParleyError })
        await when(client.connection, isConnected)
        if (isCurrent) await open()
      }
    }
    void open()
    return () => {
      isCurrent = false
    }
  }, [client, shown])
  return opened
}
