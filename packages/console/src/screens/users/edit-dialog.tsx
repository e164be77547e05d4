import { Switch, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChanged } from '../../components/act.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import type { UserDialogProps } from './inspected.ts'
import { saveUser } from './save-user.ts'
import { usersTexts } from './texts.ts'

/** Edits a profile. Only changed fields are saved. */
export function EditDialog({ profile, onClose }: UserDialogProps) {
  const t = useTexts(usersTexts)
  const common = useTexts(commonTexts)
  const { api } = useApp()
  const changed = useChanged()
  const { _id, nickname, email = '', description, avatarUrl, isAdmin, isRobot } = profile
  const before = { nickname, email, description, avatarUrl, isAdmin, isRobot }
  const [fields, setFields] = useState(before)
  const put = (some: Partial<typeof before>) => setFields((now) => ({ ...now, ...some }))
  const names = Object.keys(before) as (keyof typeof before)[]
  const edited = names.filter((name) => fields[name] !== before[name])
  const save = async () => {
    const body = { _id, ...Object.fromEntries(edited.map((name) => [name, fields[name]])) }
    await saveUser(api, body)
    await changed()
  }
  return (
    <Confirm
      title={t.edit}
      action={common.save}
      done={t.editDone}
      run={save}
      onClose={onClose}
      isReady={edited.length > 0}
    >
      <TextInput
        data-autofocus
        label={t.name}
        maxLength={256}
        value={fields.nickname}
        onChange={(event) => put({ nickname: event.currentTarget.value })}
      />
      <TextInput
        label={t.email}
        type="email"
        maxLength={320}
        value={fields.email}
        onChange={(event) => put({ email: event.currentTarget.value })}
      />
      <Textarea
        label={t.description}
        autosize
        maxRows={6}
        maxLength={4096}
        value={fields.description}
        onChange={(event) => put({ description: event.currentTarget.value })}
      />
      <TextInput
        label={t.picture}
        placeholder="https://"
        maxLength={2048}
        value={fields.avatarUrl}
        onChange={(event) => put({ avatarUrl: event.currentTarget.value })}
      />
      <Switch
        label={t.robot}
        checked={fields.isRobot}
        onChange={(event) => put({ isRobot: event.currentTarget.checked })}
      />
      <Switch
        label={t.admin}
        checked={fields.isAdmin}
        onChange={(event) => put({ isAdmin: event.currentTarget.checked })}
      />
    </Confirm>
  )
}
