import { Badge, Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { resultOf } from '../../api.ts'
import { say } from '../../components/confirm.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { Facts, Page, Section } from '../../components/page.tsx'
import { Time, UserText } from '../../components/shown.tsx'
import { Failure, Loaded } from '../../components/states.tsx'
import { useSession } from '../../session/session.tsx'
import { shellTexts } from '../../shell/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { Authenticator } from './authenticator.tsx'
import { Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'
import { accountTexts } from './texts.ts'

/** The operator's account: roles, password, authenticator, passkeys and sessions. */
export function Account() {
  const t = useTexts(accountTexts)
  const shell = useTexts(shellTexts)
  const { session } = useSession()
  return (
    <Page title={shell.account}>
      <Section title={session.operator.name}>
        <Facts
          facts={[
            [shell.email, session.operator.email],
            ...session.apps
              .slice(0, 30)
              .map(({ app, role }): [string, ReactNode] => [app, <Badge key={app}>{shell[role]}</Badge>]),
          ]}
        />
      </Section>
      <div className="columns">
        <Section title={t.changePassword}>
          <Password />
        </Section>
        <Section title={t.totp}>
          <Authenticator />
        </Section>
      </div>
      <Section title={t.passkeys}>
        <Passkeys />
      </Section>
      <Section title={t.sessions}>
        <Sessions />
      </Section>
    </Page>
  )
}

function Sessions() {
  const t = useTexts(accountTexts)
  const { api } = useSession()
  const query = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => resultOf(api.GET('/operator/sessions', { signal })),
    refetchInterval: 30_000,
  })
  const ending = useMutation({
    mutationFn: async (id: string) => {
      await resultOf(api.DELETE('/operator/sessions/{id}', { params: { path: { id } } }))
      await query.refetch()
      say(t.endDone)
    },
  })
  return (
    <Loaded query={query} rows={2}>
      {({ data }) => (
        <ul className="sessions">
          {ending.isError && <Failure error={ending.error} />}
          {data.map(({ id, isCurrent, by, address, userAgent, lastSeenAt, createdAt, expiresAt }) => (
            <li key={id}>
              <div className="grow">
                <Group gap="xs">
                  <Text size="sm" fw={600}>
                    {t[by]}
                  </Text>
                  <Text size="sm">{address}</Text>
                  {isCurrent && <Badge>{t.here}</Badge>}
                </Group>
                <Dimmed size="xs">
                  <UserText text={userAgent} />
                </Dimmed>
                <Dimmed size="xs">
                  {t.since} <Time at={createdAt} /> · {t.lastSeen} <Time at={lastSeenAt} /> · {t.ends}{' '}
                  <Time at={expiresAt} />
                </Dimmed>
              </div>
              {!isCurrent && (
                <Button size="xs" variant="default" onClick={() => ending.mutate(id)}>
                  {t.end}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  )
}
