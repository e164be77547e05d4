import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { useChanged } from '../../components/act.tsx'
import { Confirm, Warning } from '../../components/confirm.tsx'
import { type End, EndField, endMS } from '../../components/end-field.tsx'
import { visible } from '../../components/shown.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { UserDialogProps } from './inspected.ts'
import { usersTexts } from './texts.ts'

export function BanDialog({ profile, onClose }: UserDialogProps) {
  const t = useTexts(usersTexts)
  const { api } = useApp()
  const changed = useChanged()
  const [end, setEnd] = useState<End>({ kind: 'week', at: '' })
  const ban = async () => {
    const untilMS = endMS(end)
    const params = { path: { client_id: profile._id } }
    await resultOf(
      api.POST('/admin/clients/{client_id}/ban', { params, body: { ...(untilMS !== undefined && { untilMS }) } }),
    )
    await changed()
  }
  return (
    <Confirm
      title={`${t.banTitle}: ${visible(profile.nickname || profile._id)}`}
      action={t.ban}
      done={t.banDone}
      run={ban}
      onClose={onClose}
      isDangerous
      isReady={end.kind !== 'other' || end.at !== ''}
    >
      <Warning>{t.banText}</Warning>
      <EndField end={end} onEnd={setEnd} />
    </Confirm>
  )
}
