import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { components } from '../../../generated/openapi.ts'
import { resultOf } from '../../api.ts'
import { Dimmed } from '../../components/dimmed.tsx'
import { submitProps, textProps } from '../../components/field-props.ts'
import { Section } from '../../components/page.tsx'
import { Time, ViewLink, visible } from '../../components/shown.tsx'
import { Failure } from '../../components/states.tsx'
import { useTyped } from '../../components/use-url-text.ts'
import { useApp } from '../../session/session.tsx'
import { pushReasonTexts } from '../../texts/push-reasons.ts'
import { useTexts } from '../../texts/texts.ts'
import { deliveryTexts, outcomeTexts } from './texts.ts'

type Explanation = components['schemas']['PushExplanation']

const route = getRouteApi('/shell/apps/$app/delivery')

/** Why a user got a push for a message, or did not. The URL has the message and the user. */
export function Why() {
  const t = useTexts(deliveryTexts)
  const { app, api } = useApp()
  const { message = '', user = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const [typedMessage, setMessage] = useTyped(message)
  const [typedUser, setUser] = useTyped(user)
  const query = useQuery({
    queryKey: [app, 'push why', message, user],
    queryFn: ({ signal }) =>
      resultOf(api.GET('/admin/push/why', { params: { query: { message, client: user } }, signal })),
    enabled: message !== '' && user !== '',
  })
  const explain = () => {
    const asked = { message: typedMessage.trim(), user: typedUser.trim() }
    if (asked.message === message && asked.user === user) void query.refetch()
    else void navigate({ search: (now) => ({ ...now, ...asked }), replace: true })
  }
  return (
    <Section title={t.why}>
      <form {...submitProps(explain)}>
        <Stack gap="sm">
          <TextInput label={t.message} required {...textProps(typedMessage, setMessage)} />
          <TextInput label={t.user} required {...textProps(typedUser, setUser)} />
          <Group>
            <Button type="submit" loading={query.isFetching}>
              {t.ask}
            </Button>
          </Group>
          {query.isError && <Failure error={query.error} />}
          {query.isSuccess && <Explained of={query.data} />}
        </Stack>
      </form>
    </Section>
  )
}

function Explained({ of: { reason, devices, call, recorded, client, room } }: { of: Explanation }) {
  const t = useTexts(deliveryTexts)
  const reasons = useTexts(pushReasonTexts)
  const { app } = useApp()
  return (
    <Stack gap={4} role="status">
      {reason !== undefined && (
        <Text size="sm">{reason === 'PUSH_GENERIC' ? reasons[reason] : t.noPush(reasons[reason])}</Text>
      )}
      {devices.map((device) => (
        <Device key={device.deviceId} device={device} />
      ))}
      {call && (
        <Text size="sm">
          PUSH_GENERIC · {t[call.state]}
          {call.lastError !== undefined && ` · ${t.afterTries(call.tries)}: ${visible(call.lastError)}`}
        </Text>
      )}
      {!recorded && <Dimmed size="xs">{t.notRecorded}</Dimmed>}
      <ViewLink size="sm" to="/apps/$app/timeline" params={{ app }} search={{ user: client, room }}>
        {t.wholeTimeline}
      </ViewLink>
    </Stack>
  )
}

function Device({ device }: { device: Explanation['devices'][number] }) {
  const t = useTexts(deliveryTexts)
  const outcomes = useTexts(outcomeTexts)
  const reasons: Readonly<Record<string, string>> = useTexts(pushReasonTexts)
  const { deviceId, network, outcome, reason, tries = 0, lastError, tokenRemoved, nextTryAtMS } = device
  const parts = [
    network?.toUpperCase(),
    outcomes[outcome],
    reason !== undefined && visible(outcome === 'not sent' ? (reasons[reason] ?? reason) : reason),
    lastError !== undefined && `${t.afterTries(tries)}: ${visible(lastError)}`,
    tokenRemoved === true && t.tokenRemoved,
  ].filter((part) => part !== undefined && part !== false)
  return (
    <Text size="sm">
      <bdi>{visible(deviceId)}</bdi> · {parts.join(' · ')}
      {nextTryAtMS !== undefined && (
        <>
          {' '}
          · {t.nextTry} <Time at={nextTryAtMS} />
        </>
      )}
    </Text>
  )
}
