import { Badge } from '@mantine/core'
import { Facts, Page, Section } from '../../components/page.tsx'
import { useSession } from '../../session/session.tsx'
import { shellTexts } from '../../shell/texts.ts'
import { useTexts } from '../../texts/texts.ts'

/** The operator's own account: the roles in each app. */
export function Account() {
  const t = useTexts(shellTexts)
  const { session } = useSession()
  return (
    <Page title={t.account}>
      <Section title={session.operator.name}>
        <Facts
          facts={[
            [t.email, session.operator.email],
            ...session.apps.map(({ app, role }): [string, React.ReactNode] => [
              app,
              <Badge key={app} variant="light">
                {t[role]}
              </Badge>,
            ]),
          ]}
        />
      </Section>
    </Page>
  )
}
