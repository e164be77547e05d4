import { Switch, Textarea, TextInput } from '@mantine/core'
import { useChanged } from '../../components/act.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { useEdits } from '../../components/use-edits.ts'
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
  const { fields, put, edited, isEdited } = useEdits({ nickname, email, description, avatarUrl, isAdmin, isRobot })
  const save = async () => {
    await saveUser(api, { _id, ...edited })
    await changed()
  }
  return (
    <Confirm title={t.edit} action={common.save} done={t.editDone} run={save} onClose={onClose} isReady={isEdited}>
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
