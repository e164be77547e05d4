import { ActionIcon, Menu } from '@mantine/core'
import { useState } from 'react'
import { dataOf, resultOf } from '../../api.ts'
import { Act, useChanged } from '../../components/act.tsx'
import { Confirm, Warning } from '../../components/confirm.tsx'
import { type End, EndField, endMS } from '../../components/end-field.tsx'
import { Icon } from '../../components/icon.tsx'
import { useShowOnce } from '../../components/once.tsx'
import { visible } from '../../components/shown.tsx'
import { useLeave } from '../../components/use-leave.ts'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { EditDialog } from './edit-dialog.tsx'
import { EraseDialog } from './erase-dialog.tsx'
import type { Inspected, UserDialogProps } from './inspected.ts'
import { saveUser } from './save-user.ts'
import { usersTexts } from './texts.ts'

type Dialog = 'edit' | 'token' | 'end' | 'ban' | 'lift' | 'export' | 'erase'

/** An operator's actions on a user, most with a confirmation that describes the effect. */
export function UserActions({
  profile,
  whole,
  onErasing,
}: {
  profile: UserDialogProps['profile']
  whole: Inspected | undefined
  /** Called with the ID of the job that erases the user. */
  onErasing: (job: string) => void
}) {
  const t = useTexts(usersTexts)
  const { may } = useApp()
  const [open, setOpen] = useState<Dialog>()
  const shared = { profile, onClose: () => setOpen(undefined) }
  return (
    <>
      <Act operation="POST /admin/clients" icon="edit" label={t.edit} onClick={() => setOpen('edit')} />
      <Act operation="POST /admin/clients" icon="key" label={t.issue} onClick={() => setOpen('token')} />
      <Act
        operation="DELETE /admin/clients/{client_id}/token"
        icon="leave"
        label={t.end}
        onClick={() => setOpen('end')}
      />
      {profile.ban && (
        <Act
          operation="DELETE /admin/clients/{client_id}/ban"
          icon="undo"
          label={t.lift}
          onClick={() => setOpen('lift')}
        />
      )}
      <Act
        operation="POST /admin/clients/{client_id}/ban"
        icon="ban"
        label={t.ban}
        color="red"
        variant="light"
        onClick={() => setOpen('ban')}
      />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={t.more}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="file" size={16} />} onClick={() => saveAs(`${profile._id}.json`, whole)}>
            {t.download}
          </Menu.Item>
          {may('POST /admin/clients/{client_id}/export') && (
            <Menu.Item leftSection={<Icon name="list" size={16} />} onClick={() => setOpen('export')}>
              {t.export}
            </Menu.Item>
          )}
          {may('DELETE /admin/clients/{client_id}') && (
            <Menu.Item color="red" leftSection={<Icon name="trash" size={16} />} onClick={() => setOpen('erase')}>
              {t.erase}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {open === 'edit' && <EditDialog {...shared} />}
      {open === 'token' && <IssueDialog {...shared} />}
      {open === 'end' && <EndDialog {...shared} />}
      {open === 'ban' && <BanDialog {...shared} />}
      {open === 'lift' && <LiftDialog {...shared} />}
      {open === 'export' && <ExportDialog {...shared} />}
      {open === 'erase' && <EraseDialog {...shared} onJob={onErasing} />}
    </>
  )
}

function ExportDialog({ profile, onClose }: UserDialogProps) {
  const t = useTexts(usersTexts)
  const { app, api } = useApp()
  const leave = useLeave()
  const begin = async () => {
    const params = { path: { client_id: profile._id } }
    await resultOf(api.POST('/admin/clients/{client_id}/export', { params }))
    await leave({ to: '/apps/$app/jobs', params: { app }, search: { kind: 'export' } })
  }
  return (
    <Confirm title={t.exportTitle} action={t.export} run={begin} onClose={onClose}>
      {t.exportText}
    </Confirm>
  )
}

function EndDialog({ profile, onClose }: UserDialogProps) {
  const t = useTexts(usersTexts)
  const { api } = useApp()
  const changed = useChanged()
  const end = async () => {
    const params = { path: { client_id: profile._id } }
    await dataOf(api.DELETE('/admin/clients/{client_id}/token', { params, body: {} }))
    await changed()
  }
  return (
    <Confirm title={t.endTitle} action={t.end} done={t.endDone} run={end} onClose={onClose} isDangerous>
      <Warning>
        {visible(profile.nickname || profile._id)}: {t.endText}
      </Warning>
    </Confirm>
  )
}

function LiftDialog({ profile, onClose }: UserDialogProps) {
  const t = useTexts(usersTexts)
  const { api } = useApp()
  const changed = useChanged()
  const lift = async () => {
    await resultOf(api.DELETE('/admin/clients/{client_id}/ban', { params: { path: { client_id: profile._id } } }))
    await changed()
  }
  return (
    <Confirm title={t.liftTitle} action={t.lift} done={t.liftDone} run={lift} onClose={onClose}>
      {t.liftText}
    </Confirm>
  )
}

function saveAs(name: string, value: unknown): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

/** Issues a token, and shows it once. */
function IssueDialog({ profile, onClose }: UserDialogProps) {
  const t = useTexts(usersTexts)
  const { api } = useApp()
  const changed = useChanged()
  const showOnce = useShowOnce()
  const issue = async () => {
    const { token } = await saveUser(api, { _id: profile._id, issueAccessToken: true })
    const title = t.tokenOf(visible(profile.nickname || profile._id))
    if (token !== undefined) showOnce({ title, hint: t.tokenOnce, label: t.token, value: token })
    await changed()
  }
  return (
    <Confirm title={t.issueTitle} action={t.issue} run={issue} onClose={onClose} isDangerous>
      <Warning>{t.issueText}</Warning>
    </Confirm>
  )
}

function BanDialog({ profile, onClose }: UserDialogProps) {
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
