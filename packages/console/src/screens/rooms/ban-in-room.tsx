import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { useChanged } from '../../components/act.tsx'
import { Confirm, Warning } from '../../components/confirm.tsx'
import { type End, EndField, endMS } from '../../components/end-field.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { roomsTexts } from './texts.ts'

/** Bans a user in a room, until a time or permanently. */
export function BanInRoom({
  room,
  user,
  text,
  onClose,
}: {
  room: string
  user: string
  text: string
  onClose: () => void
}) {
  const t = useTexts(roomsTexts)
  const { api } = useApp()
  const changed = useChanged()
  const [end, setEnd] = useState<End>({ kind: 'week', at: '' })
  const ban = async () => {
    const untilMS = endMS(end)
    const params = { path: { roomID: room, blockee: user } }
    const body = { ...(untilMS !== undefined && { untilMS }) }
    await resultOf(api.POST('/blockStatus/room/{roomID}/{blockee}', { params, body }))
    await changed()
  }
  return (
    <Confirm
      title={t.banHere}
      action={t.banHere}
      done={t.banDone}
      run={ban}
      onClose={onClose}
      isDangerous
      isReady={end.kind !== 'other' || end.at !== ''}
    >
      <Warning>{text}</Warning>
      <EndField end={end} onEnd={setEnd} />
    </Confirm>
  )
}
