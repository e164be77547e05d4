import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { say } from '../../components/confirm.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { submitProps, textProps } from '../../components/field-props.ts'
import { Failure } from '../../components/states.tsx'
import { useSubmit } from '../../components/use-submit.ts'
import { setSession, useSession } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import { accountTexts } from './texts.ts'

/** Sets the operator's password, which ends all other sessions. */
export function Password() {
  const t = useTexts(accountTexts)
  const common = useTexts(commonTexts)
  const queries = useQueryClient()
  const { session, api } = useSession()
  const { hasPassword } = session.operator
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const saving = useSubmit({
    mutationFn: async () => {
      const body = { password, ...(hasPassword && { current }) }
      setSession(queries, await resultOf(api.POST('/operator/password', { body })))
      setCurrent('')
      setPassword('')
      say(t.passwordDone)
    },
  })
  return (
    <form {...submitProps(() => saving.mutate())}>
      <Stack gap="sm">
        <Dimmed>{hasPassword ? t.passwordHint : t.noPassword}</Dimmed>
        {hasPassword && (
          <PasswordInput label={t.current} autoComplete="current-password" {...textProps(current, setCurrent)} />
        )}
        <PasswordInput
          label={t.next}
          description={t.nextHint}
          autoComplete="new-password"
          minLength={12}
          {...textProps(password, setPassword)}
        />
        {saving.isError && <Failure error={saving.error} />}
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={password.length < 12}>
            {hasPassword ? common.save : t.setPassword}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
