import type { Room } from '@parley/client'
import { useEffect, useState } from 'preact/hooks'
import { useChat, useStore } from '../state/chat.ts'

const mostBans = 500
/** The longest possible timer (WHATWG HTML: a signed 32-bit number of milliseconds). */
const longestTimerMS = 2 ** 31 - 1

/**
 * Whether the user is banned in a group. There is no event for it: bans are read when the room opens, a message is
 * refused, the page regains the focus, or a ban ends.
 */
export function useBan(room: Room): boolean {
  const { client } = useChat()
  const me = useStore(client.me)?._id
  const isGroup = useStore(room.info)?.roomType === 'group'
  const refused = useStore(room.messages).findLast(({ error }) => error?.code === 'USER_BLOCKED')?._id
  const [ban, setBan] = useState<{ untilMS?: number | undefined }>()
  useEffect(() => {
    if (!isGroup || me === undefined) return undefined
    let isCurrent = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = async () => {
      // On failure keep the known state: the server enforces bans anyway.
      const bans = await client.api.listBans({ roomID: room.id, limit: mostBans }).catch(() => undefined)
      if (!isCurrent || !bans) return
      const own = bans.find(({ blockee }) => blockee._id === me)
      setBan(own)
      clearTimeout(timer)
      if (own?.untilMS === undefined) return
      timer = setTimeout(() => void read(), Math.min(Math.max(own.untilMS - Date.now(), 1_000), longestTimerMS))
    }
    const onFocus = () => void read()
    void read()
    addEventListener('focus', onFocus)
    return () => {
      isCurrent = false
      clearTimeout(timer)
      removeEventListener('focus', onFocus)
    }
  }, [room, isGroup, me, refused])
  return isGroup && ban !== undefined
}
