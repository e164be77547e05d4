import { NativeSelect, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { Confirm, Warning } from '../../components/confirm.tsx'
import { textProps } from '../../components/field-props.ts'
import { visible } from '../../components/shown.tsx'
import { useApp, useSession } from '../../session/session.tsx'
import { shellTexts } from '../../shell/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Operator } from './operator.ts'
import { operatorsQuery } from './query.ts'
import { operatorsTexts } from './texts.ts'

const roles = ['viewer', 'support', 'moderator', 'developer', 'owner'] as const
type Role = (typeof roles)[number]

interface DialogProps {
  onClose: () => void
  /** @param made the token of a sign-in link, if one was created */
  onDone: (made?: { email: string; link: string }) => Promise<void>
}

export function AddOperator({ onClose, onDone }: DialogProps) {
  const t = useTexts(operatorsTexts)
  const { app } = useApp()
  const { api } = useSession()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  return (
    <Confirm
      title={t.add}
      action={t.add}
      isReady={email.trim() !== '' && name.trim() !== ''}
      onClose={onClose}
      run={async () => {
        const body = { email: email.trim(), name: name.trim(), roles: [{ app, role }] }
        const { link } = await resultOf(api.POST('/operators', { body }))
        await onDone({ email: body.email, link })
      }}
    >
      <TextInput type="email" label={t.email} data-autofocus {...textProps(email, setEmail)} />
      <TextInput label={t.name} {...textProps(name, setName)} />
      <RoleField role={role} onChange={setRole} />
    </Confirm>
  )
}

/** Changes the role in this app, and keeps those in others, which may have changed since the list was read. */
export function ChangeRole({
  operator,
  cursor,
  onClose,
  onDone,
}: DialogProps & { operator: Operator; cursor: string | undefined }) {
  const t = useTexts(operatorsTexts)
  const { app } = useApp()
  const { api } = useSession()
  const queries = useQueryClient()
  const [role, setRole] = useState<Role>(operator.roles.find((each) => each.app === app)?.role ?? 'viewer')
  return (
    <Confirm
      title={t.role}
      action={t.role}
      onClose={onClose}
      run={async () => {
        const { data } = await queries.fetchQuery({ ...operatorsQuery(api, cursor), staleTime: 0 })
        const latest = data.find(({ id }) => id === operator.id) ?? operator
        const others = latest.roles.filter((each) => each.app !== app)
        const body = { roles: [...others, { app, role }] }
        await resultOf(api.PUT('/operators/{id}', { params: { path: { id: operator.id } }, body }))
        await onDone()
      }}
    >
      <Text size="sm">{visible(operator.email)}</Text>
      <RoleField role={role} onChange={setRole} />
      <Warning>{t.roleHint}</Warning>
    </Confirm>
  )
}

export function ResetOperator({ operator, onClose, onDone }: DialogProps & { operator: Operator }) {
  const t = useTexts(operatorsTexts)
  const { api } = useSession()
  return (
    <Confirm
      title={t.reset}
      action={t.reset}
      isDangerous
      onClose={onClose}
      run={async () => {
        const path = { id: operator.id }
        const { link } = await resultOf(api.POST('/operators/{id}/reset', { params: { path } }))
        await onDone({ email: operator.email, link })
      }}
    >
      <Text size="sm">{visible(operator.email)}</Text>
      <Warning>{t.resetHint}</Warning>
    </Confirm>
  )
}

export function RemoveOperator({ operator, onClose, onDone }: DialogProps & { operator: Operator }) {
  const t = useTexts(operatorsTexts)
  const { api } = useSession()
  return (
    <Confirm
      title={t.remove}
      action={t.remove}
      isDangerous
      typed={operator.email}
      onClose={onClose}
      run={async () => {
        await resultOf(api.DELETE('/operators/{id}', { params: { path: { id: operator.id } } }))
        await onDone()
      }}
    >
      <Warning>{t.removeHint}</Warning>
    </Confirm>
  )
}

function RoleField({ role, onChange }: { role: Role; onChange: (role: Role) => void }) {
  const t = useTexts(operatorsTexts)
  const shell = useTexts(shellTexts)
  return (
    <NativeSelect
      label={t.roleHere}
      data={roles.map((value) => ({ value, label: shell[value] }))}
      {...textProps(role, (text) => onChange(roles.find((each) => each === text) ?? 'viewer'))}
    />
  )
}
