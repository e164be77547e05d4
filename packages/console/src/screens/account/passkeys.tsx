import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type PublicKeyCredentialCreationOptionsJSON, startRegistration } from '@simplewebauthn/browser'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { Confirm, say, Warning } from '../../components/confirm.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { submitProps, textProps } from '../../components/field-props.ts'
import { Time, UserText, visible } from '../../components/shown.tsx'
import { Failure, Loaded } from '../../components/states.tsx'
import { useSession } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { accountTexts } from './texts.ts'

/** Lists, adds, renames and removes the operator's passkeys. */
export function Passkeys() {
  const t = useTexts(accountTexts)
  const { api } = useSession()
  const [name, setName] = useState('')
  const query = useQuery({
    queryKey: ['passkeys'],
    queryFn: ({ signal }) => resultOf(api.GET('/operator/passkeys', { signal })),
  })
  const adding = useMutation({
    mutationFn: async () => {
      const { options } = await resultOf(api.POST('/operator/passkeys/challenge'))
      const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
      const { response, ...made } = await startRegistration({ optionsJSON })
      const credential = { ...made, response: { ...response } }
      await resultOf(api.POST('/operator/passkeys', { body: { name, credential } }))
      setName('')
      await query.refetch()
      say(t.passkeyDone)
    },
  })
  return (
    <Stack gap="sm">
      <Dimmed>{t.passkeysHint}</Dimmed>
      <Loaded query={query} rows={1}>
        {({ data }) =>
          data.length > 0 && (
            <ul className="sessions" aria-label={t.passkeys}>
              {data.map((passkey) => (
                <Passkey key={passkey.id} {...passkey} onChange={() => void query.refetch()} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <form {...submitProps(() => adding.mutate())}>
        <Group align="end">
          <TextInput label={t.passkeyName} maxLength={60} {...textProps(name, setName)} />
          <Button type="submit" variant="default" loading={adding.isPending} disabled={name.trim() === ''}>
            {t.addPasskey}
          </Button>
        </Group>
      </form>
      {adding.isError && <Failure error={adding.error} />}
    </Stack>
  )
}

interface PasskeyProps {
  id: string
  name: string
  createdAt: string
  lastUsedAt?: string | undefined
  onChange: () => void
}

function Passkey({ id, name, createdAt, lastUsedAt, onChange }: PasskeyProps) {
  const t = useTexts(accountTexts)
  const { api } = useSession()
  const [renamed, setRenamed] = useState<string>()
  const path = { id }
  const renaming = useMutation({
    mutationFn: async (to: string) => {
      await resultOf(api.PUT('/operator/passkeys/{id}', { params: { path }, body: { name: to } }))
      setRenamed(undefined)
      onChange()
    },
  })
  const [isRemoving, setRemoving] = useState(false)
  const remove = async () => {
    await resultOf(api.DELETE('/operator/passkeys/{id}', { params: { path } }))
    onChange()
  }
  return (
    <li>
      <div className="grow">
        {renamed === undefined ? (
          <Text size="sm" fw={600}>
            <UserText text={name} />
          </Text>
        ) : (
          <form {...submitProps(() => renaming.mutate(renamed))}>
            <Group gap="xs">
              <TextInput aria-label={t.newPasskeyName} maxLength={60} {...textProps(renamed, setRenamed)} />
              <Button type="submit" size="xs" loading={renaming.isPending} disabled={renamed.trim() === ''}>
                {t.confirm}
              </Button>
            </Group>
          </form>
        )}
        <Dimmed size="xs">
          {t.since} <Time at={createdAt} />
          {lastUsedAt !== undefined && (
            <>
              {' '}
              · {t.lastUsed} <Time at={lastUsedAt} />
            </>
          )}
        </Dimmed>
        {renaming.error && <Failure error={renaming.error} />}
      </div>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => setRenamed(renamed === undefined ? name : undefined)}>
          {t.rename}
        </Button>
        <Button size="xs" variant="default" onClick={() => setRemoving(true)}>
          {t.remove}
        </Button>
      </Group>
      {isRemoving && (
        <Confirm
          title={t.removePasskey}
          action={t.remove}
          done={t.passkeyRemoved}
          run={remove}
          onClose={() => setRemoving(false)}
          isDangerous
        >
          <Warning>{t.removePasskeyText(visible(name))}</Warning>
        </Confirm>
      )}
    </li>
  )
}
