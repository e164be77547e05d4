import { Anchor, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { say } from '../../components/confirm.tsx'
import { Copy } from '../../components/shown.tsx'
import { Failure } from '../../components/states.tsx'
import { setSession, useSession } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { accountTexts } from './texts.ts'

/** Sets up an authenticator for the operator's account, confirmed by a code of it, or removes it. */
export function Authenticator() {
  const t = useTexts(accountTexts)
  const queries = useQueryClient()
  const { session, api } = useSession()
  const { hasTotp } = session.operator
  const [code, setCode] = useState('')
  const begun = useMutation({ mutationFn: () => resultOf(api.POST('/operator/totp', { body: {} })) })
  const changing = useMutation({
    mutationFn: async () => {
      const { isOn } = hasTotp
        ? await resultOf(api.DELETE('/operator/totp', { body: { code } }))
        : await resultOf(api.POST('/operator/totp', { body: { code } }))
      setSession(queries, { ...session, operator: { ...session.operator, hasTotp: isOn } })
      setCode('')
      begun.reset()
      say(isOn ? t.totpDone : t.removeDone)
    },
  })
  const { secret, url } = begun.data ?? {}
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {hasTotp ? t.totpOn : t.totpOff}
      </Text>
      {!hasTotp && secret === undefined && (
        <Group>
          <Button variant="default" loading={begun.isPending} onClick={() => begun.mutate()}>
            {t.setUp}
          </Button>
        </Group>
      )}
      {secret !== undefined && (
        <div>
          <Text size="sm">{t.secret}</Text>
          <Group gap={4}>
            <Code>{secret}</Code>
            <Copy text={secret} />
          </Group>
          <Anchor size="sm" href={url}>
            {t.openApp}
          </Anchor>
        </div>
      )}
      {(hasTotp || secret !== undefined) && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            changing.mutate()
          }}
        >
          <Group align="flex-end" gap="xs">
            <TextInput
              label={t.code}
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={6}
              value={code}
              onChange={(event) => setCode(event.currentTarget.value.replaceAll(/\D/g, ''))}
            />
            <Button type="submit" loading={changing.isPending} disabled={code.length !== 6}>
              {hasTotp ? t.remove : t.confirm}
            </Button>
          </Group>
        </form>
      )}
      {begun.isError && <Failure error={begun.error} />}
      {changing.isError && <Failure error={changing.error} />}
    </Stack>
  )
}
