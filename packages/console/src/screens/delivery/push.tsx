import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { say } from '../../components/confirm.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { submitProps, textProps } from '../../components/field-props.ts'
import { networkNames } from '../../components/networks.ts'
import { Facts, Section } from '../../components/page.tsx'
import { Time, visible } from '../../components/shown.tsx'
import { Empty, Failure, Loaded } from '../../components/states.tsx'
import { useSubmit } from '../../components/use-submit.ts'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { deliveryTexts } from './texts.ts'
import { Why } from './why.tsx'

/** Push network credentials, the reason why a push was or was not sent, and a test push. */
export function Push() {
  const { may } = useApp()
  return (
    <>
      {may('GET /admin/overview') && <Credentials />}
      <div className="columns">
        {may('GET /admin/push/why') && <Why />}
        {may('POST /push/push2clients') && <TestPush />}
      </div>
    </>
  )
}

function Credentials() {
  const t = useTexts(deliveryTexts)
  const { app, api } = useApp()
  const query = useQuery({
    queryKey: [app, 'overview'],
    queryFn: ({ signal }) => resultOf(api.GET('/admin/overview', { signal })),
  })
  return (
    <Section title={t.credentials}>
      <Loaded query={query} rows={2}>
        {({ processes }) => {
          const all = (processes ?? []).flatMap(({ node, credentials = [] }) =>
            credentials.map((each) => ({ node, ...each })),
          )
          if (all.length === 0) {
            return <Empty icon="key" title={processes ? t.noCredentials : t.noProcesses} />
          }
          return (
            <Facts
              facts={all.map(({ node, network, app: of, state, name, sinceMS, lastError }) => [
                [networkNames[network], of, node].filter((each) => each !== undefined).join(' · '),
                <Stack key={node} gap={2} align="flex-start">
                  <Badge color={state === 'refused' ? 'red' : state === 'accepted' ? 'teal' : 'gray'}>{t[state]}</Badge>
                  <Text size="xs">{name}</Text>
                  <Dimmed size="xs">
                    <Time at={sinceMS} />
                    {lastError !== undefined && ` · ${lastError}`}
                  </Dimmed>
                </Stack>,
              ])}
            />
          )
        }}
      </Loaded>
      <Dimmed size="xs" mt="sm">
        {t.noExpiry}
      </Dimmed>
    </Section>
  )
}

function TestPush() {
  const t = useTexts(deliveryTexts)
  const { api } = useApp()
  const [client, setClient] = useState('')
  const [title, setTitle] = useState('')
  const sending = useSubmit({
    mutationFn: async () => {
      const clients = [client.trim()]
      // The push itself succeeds without devices, and for unknown users.
      const { data } = await resultOf(api.GET('/admin/push/devices', { params: { query: { client: client.trim() } } }))
      if (data.length === 0) throw new Error(t.noDevicesOf(visible(client.trim())))
      const payload = { title, body: title, alert: title }
      await resultOf(api.POST('/push/push2clients', { body: { clients, payload } }))
      say(t.pushed(data.length))
    },
  })
  return (
    <Section title={t.testPush}>
      <form {...submitProps(() => sending.mutate())}>
        <Stack gap="sm">
          <TextInput label={t.user} required {...textProps(client, setClient)} />
          <TextInput label={t.text} required {...textProps(title, setTitle)} />
          <Group>
            <Button type="submit" loading={sending.isPending}>
              {t.pushIt}
            </Button>
          </Group>
          <Dimmed size="xs">{t.testPushHint}</Dimmed>
          {sending.isError && <Failure error={sending.error} />}
        </Stack>
      </form>
    </Section>
  )
}
