import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { useChanged } from '../../components/act.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { roomsTexts } from './texts.ts'

export function AddDialog({ room, onClose }: { room: string; onClose: () => void }) {
  const t = useTexts(roomsTexts)
  const { api } = useApp()
  const changed = useChanged()
  const [typed, setTyped] = useState('')
  const invitees = typed
    .split('\n')
    .map((id) => id.trim())
    .filter((id) => id !== '')
  const add = async () => {
    await resultOf(api.POST('/rooms/{id}/members', { params: { path: { id: room } }, body: { invitees } }))
    await changed()
  }
  return (
    <Confirm title={t.add} action={t.add} done={t.addDone} run={add} onClose={onClose} isReady={invitees.length > 0}>
      <Textarea
        data-autofocus
        label={t.addHint}
        autosize
        minRows={2}
        maxRows={8}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </Confirm>
  )
}
