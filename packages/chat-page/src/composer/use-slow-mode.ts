import type { Room, RoomMessage } from '@parley/client'
import { useEffect, useState } from 'preact/hooks'
import { useStore } from '../state/chat.ts'

/** Seconds until slow mode lets the user send again. An estimate: the server decides. */
export function useSlowMode(room: Room, me: string | undefined, isRobot: boolean): number {
  const info = useStore(room.info)
  const messages = useStore(room.messages)
  const [now, setNow] = useState(Date.now)
  const isFree = isRobot || info?.owner === me || info?.managers.includes(me ?? '') === true
  const everyMS = isFree ? 0 : (info?.slowModeS ?? 0) * 1_000
  const last = everyMS > 0 ? lastSentMS(messages) : undefined
  // The user's clock may differ from the server's: never wait longer than one interval.
  const leftMS = last === undefined ? 0 : Math.min(last + everyMS - now, everyMS)
  const isWaiting = leftMS > 0
  useEffect(() => setNow(Date.now()), [last])
  useEffect(() => {
    if (!isWaiting) return undefined
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [isWaiting])
  return isWaiting ? Math.ceil(leftMS / 1_000) : 0
}

const lastSentMS = (messages: readonly RoomMessage[]): number | undefined =>
  messages.findLast(({ isMine, state }) => isMine && state !== 'failed')?.messageTimeMS
