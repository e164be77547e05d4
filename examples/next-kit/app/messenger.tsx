'use client'

import type { TokenAsked } from '@parley/client'
import { Conversation, ParleyProvider, RoomList } from '@parley/client/react-ui'
import { useState } from 'react'

/** The parts of the kit: on the server they are empty. */
export function Messenger({ url, user }: { url: string; user: string }) {
  const [room, setRoom] = useState<string>()
  const fetchToken = async ({ last }: TokenAsked) => {
    const response = await fetch('/token', { method: 'POST', body: JSON.stringify({ user, last }) })
    if (!response.ok) throw new Error(`no token: ${response.status}`)
    return response.text()
  }
  return (
    <ParleyProvider options={{ url, token: fetchToken }} id={user} onOpenRoom={setRoom}>
      <main>
        <RoomList selected={room} onSelect={setRoom} />
        {room !== undefined && <Conversation room={room} />}
      </main>
    </ParleyProvider>
  )
}
