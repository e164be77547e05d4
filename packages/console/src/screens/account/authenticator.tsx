import { Anchor, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { say } from '../../components/confirm.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { submitProps, textProps } from '../../components/field-props.ts'
import { useShowOnce } from '../../components/once.tsx'
import { Copy } from '../../components/shown.tsx'
import { Failure } from '../../components/states.tsx'
import { setSession, useSession } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { accountTexts } from './texts.ts'

/** Sets up or removes the operator's authenticator. Both need a code. */
export function Authenticator() {
  const t = useTexts(accountTexts)
  const queries = useQueryClient()
  const { session, api } = useSession()
  const { hasTotp, recoveryCodes } = session.operator
  const [code, setCode] = useState('')
  const begun = useMutation({ mutationFn: () => resultOf(api.POST('/operator/totp', { body: {} })) })
  const showOnce = useShowOnce()
  const know = (isOn: boolean, codes: string[]) => {
    const known = { hasTotp: isOn, recoveryCodes: codes.length }
    setSession(queries, { ...session, operator: { ...session.operator, ...known } })
    setCode('')
    if (codes.length === 0) return
    const label = t.recoveryCodes
    showOnce({ title: label, hint: t.recoveryOnce, label, value: codes.join('\n') })
  }
  const changing = useMutation({
    mutationFn: async () => {
      if (hasTotp) {
        await resultOf(api.DELETE('/operator/totp', { body: { code } }))
        know(false, [])
        say(t.removeDone)
      } else {
        const { isOn, recoveryCodes = [] } = await resultOf(api.POST('/operator/totp', { body: { code } }))
        know(isOn, recoveryCodes)
        begun.reset()
        say(t.totpDone)
      }
    },
  })
  const renewing = useMutation({
    mutationFn: async () => {
      const { recoveryCodes } = await resultOf(api.POST('/operator/recovery-codes', { body: { code } }))
      know(true, recoveryCodes)
    },
  })
  const { secret, url } = begun.data ?? {}
  return (
    <Stack gap="sm">
      <Dimmed>{hasTotp ? t.totpOn : t.totpOff}</Dimmed>
      {!hasTotp && secret === undefined && (
        <Group>
          <Button variant="default" loading={begun.isPending} onClick={() => begun.mutate()}>
            {t.setUp}
          </Button>
        </Group>
      )}
      {hasTotp && <Text size="sm">{t.codesLeft(String(recoveryCodes))}</Text>}
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
        <CodeForm
          hasTotp={hasTotp}
          isBusy={changing.isPending || renewing.isPending}
          code={code}
          onCode={setCode}
          onSubmit={() => changing.mutate()}
          onRenew={() => renewing.mutate()}
        />
      )}
      {begun.isError && <Failure error={begun.error} />}
      {changing.isError && <Failure error={changing.error} />}
      {renewing.isError && <Failure error={renewing.error} />}
    </Stack>
  )
}

function CodeForm({
  hasTotp,
  isBusy,
  code,
  onCode,
  onSubmit,
  onRenew,
}: {
  hasTotp: boolean
  isBusy: boolean
  code: string
  onCode: (code: string) => void
  onSubmit: () => void
  onRenew: () => void
}) {
  const t = useTexts(accountTexts)
  return (
    <form {...submitProps(onSubmit)}>
      <Stack gap="xs">
        <TextInput
          label={t.code}
          description={hasTotp ? t.removeHint : undefined}
          autoComplete="one-time-code"
          maxLength={19}
          {...textProps(code, (text) => onCode(text.trim()))}
        />
        <Group gap="xs">
          <Button type="submit" loading={isBusy} disabled={code.length < 6}>
            {hasTotp ? t.remove : t.confirm}
          </Button>
          {hasTotp && (
            <Button variant="default" disabled={isBusy || code.length !== 6} onClick={onRenew}>
              {t.renewCodes}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
