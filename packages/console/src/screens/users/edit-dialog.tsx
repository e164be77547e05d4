import { Switch, Textarea, TextInput } from '@mantine/core'
import { useChanged } from '../../components/act.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { checkProps, textProps } from '../../components/field-props.ts'
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
        {...textProps(fields.nickname, (nickname) => put({ nickname }))}
      />
      <TextInput label={t.email} type="email" maxLength={320} {...textProps(fields.email, (email) => put({ email }))} />
      <Textarea
        label={t.description}
        autosize
        maxRows={6}
        maxLength={4096}
        {...textProps(fields.description, (description) => put({ description }))}
      />
      <TextInput
        label={t.picture}
        placeholder="https://"
        maxLength={2048}
        {...textProps(fields.avatarUrl, (avatarUrl) => put({ avatarUrl }))}
      />
      <Switch label={t.robot} {...checkProps(fields.isRobot, (isRobot) => put({ isRobot }))} />
      <Switch label={t.admin} {...checkProps(fields.isAdmin, (isAdmin) => put({ isAdmin }))} />
    </Confirm>
  )
}
