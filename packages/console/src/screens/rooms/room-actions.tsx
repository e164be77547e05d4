import { useState } from 'react'
import type { components } from '../../../generated/openapi.ts'
import { resultOf } from '../../api.ts'
import { Act, useChanged } from '../../components/act.tsx'
import { Confirm, Warning } from '../../components/confirm.tsx'
import { useLeave } from '../../components/use-leave.ts'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { TimelineLink } from '../timeline/timeline-link.tsx'
import { roomsTexts } from './texts.ts'

export type AdminRoom = components['schemas']['AdminRoom']

/** Freezes, unfreezes or deletes a room. Deleting requires typing its name. */
export function RoomActions({ room }: { room: AdminRoom }) {
  const t = useTexts(roomsTexts)
  const { app, api } = useApp()
  const changed = useChanged()
  const leave = useLeave()
  const [open, setOpen] = useState<'freeze' | 'remove'>()
  const close = () => setOpen(undefined)
  const params = { path: { id: room._id } }
  const isFrozen = room.status === 0
  const freeze = async () => {
    await resultOf(api.PUT('/rooms/{id}', { params, body: { status: isFrozen ? 1 : 0 } }))
    await changed()
  }
  const remove = async () => {
    await resultOf(api.DELETE('/rooms/{id}', { params }))
    await leave({ to: '/apps/$app/rooms', params: { app } })
    await changed()
  }
  return (
    <>
      <TimelineLink of={{ room: room._id }} />
      <Act
        operation="PUT /rooms/{id}"
        icon="freeze"
        label={isFrozen ? t.thaw : t.freeze}
        onClick={() => setOpen('freeze')}
      />
      <Act
        operation="DELETE /rooms/{id}"
        icon="trash"
        label={t.remove}
        color="red"
        variant="light"
        onClick={() => setOpen('remove')}
      />
      {open === 'freeze' && (
        <Confirm
          title={isFrozen ? t.thawTitle : t.freezeTitle}
          action={isFrozen ? t.thaw : t.freeze}
          done={isFrozen ? t.thawDone : t.freezeDone}
          run={freeze}
          onClose={close}
        >
          {isFrozen ? t.thawText : t.freezeText}
        </Confirm>
      )}
      {open === 'remove' && (
        <Confirm
          title={t.removeTitle}
          action={t.remove}
          done={t.removeDone}
          run={remove}
          onClose={close}
          typed={room.name.trim() || room._id}
          isDangerous
        >
          <Warning>{t.removeText}</Warning>
        </Confirm>
      )}
    </>
  )
}
