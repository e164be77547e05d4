import { Badge, Button, Group, Menu } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { baseUrl } from '../../api.ts'
import { type Columns, column, DataTable, Pager, unseen } from '../../components/data-table.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { Icon } from '../../components/icon.tsx'
import { useShowOnce } from '../../components/once.tsx'
import { Page } from '../../components/page.tsx'
import { Time, visible } from '../../components/shown.tsx'
import { Loaded } from '../../components/states.tsx'
import { useSession } from '../../session/session.tsx'
import { shellTexts } from '../../shell/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { AddOperator, ChangeRole, RemoveOperator, ResetOperator } from './dialogs.tsx'
import type { Operator } from './operator.ts'
import { operatorsQuery } from './query.ts'
import { operatorsTexts } from './texts.ts'

type Asked = { what: 'add' } | { what: 'role' | 'reset' | 'remove'; operator: Operator }

const route = getRouteApi('/shell/apps/$app/operators')

/** The operators with a role in this app or in all apps, shown to owners. */
export function Operators() {
  const t = useTexts(operatorsTexts)
  const [asked, setAsked] = useState<Asked>()
  return (
    <Page
      title={t.operators}
      actions={
        <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={() => setAsked({ what: 'add' })}>
          {t.add}
        </Button>
      }
    >
      <OperatorList onAsk={setAsked} />
      <Asking asked={asked} onClose={() => setAsked(undefined)} />
    </Page>
  )
}

function OperatorList({ onAsk }: { onAsk: (asked: Asked) => void }) {
  const t = useTexts(operatorsTexts)
  const { api } = useSession()
  const { cursor } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(operatorsQuery(api, cursor))
  const columns = useColumns(onAsk)
  return (
    <Loaded query={query}>
      {({ data, cursor: next }) => (
        <>
          <DataTable
            label={t.operators}
            columns={columns}
            rows={data}
            keyOf={({ id }) => id}
            isStale={query.isPlaceholderData}
          />
          <Pager cursor={cursor} next={next} onPage={(page) => void navigate({ search: { cursor: page } })} />
        </>
      )}
    </Loaded>
  )
}

function useColumns(onAsk: (asked: Asked) => void): Columns<Operator> {
  const t = useTexts(operatorsTexts)
  const shell = useTexts(shellTexts)
  return useMemo<Columns<Operator>>(
    () => [
      column('name', t.name, (row) => (
        <>
          <bdi>{visible(row.name)}</bdi>
          <Dimmed size="xs">{visible(row.email)}</Dimmed>
        </>
      )),
      column('roles', t.roles, (row) => (
        <Group gap={4}>
          {row.roles.map(({ app, role }) => (
            <Badge key={app} size="sm">
              {`${app === '*' ? t.allApps : visible(app)}: ${shell[role]}`}
            </Badge>
          ))}
        </Group>
      )),
      column('signsIn', t.signsIn, (row) =>
        [row.hasPassword && t.password, row.hasTotp && t.authenticator, row.hasPasskey && t.passkey, row.bySso && t.sso]
          .filter((each) => each !== false)
          .join(', '),
      ),
      column('last', t.lastSignIn, (row) => <Time at={row.lastSignInAt} />),
      column('actions', unseen(t.actions), (operator) => (
        <Menu>
          <Menu.Target>
            <Button size="compact-sm" variant="default" aria-label={t.actionsOf(operator.email)}>
              <Icon name="more" size={16} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {(['role', 'reset', 'remove'] as const).map((what) => (
              <Menu.Item key={what} onClick={() => onAsk({ what, operator })}>
                {t[what]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )),
    ],
    [t, shell, onAsk],
  )
}

/** The dialog of the chosen action. A sign-in link that it creates is shown once. */
function Asking({ asked, onClose }: { asked: Asked | undefined; onClose: () => void }) {
  const t = useTexts(operatorsTexts)
  const queries = useQueryClient()
  const showOnce = useShowOnce()
  const { cursor } = route.useSearch()
  const onDone = async (made?: { email: string; link: string }) => {
    if (made) {
      const value = `${baseUrl}/console#link=${made.link}`
      showOnce({ title: t.linkOf(visible(made.email)), hint: t.linkHint, label: t.link, value })
    }
    await queries.invalidateQueries({ queryKey: ['operators'] })
  }
  switch (asked?.what) {
    case undefined:
      return null
    case 'add':
      return <AddOperator onClose={onClose} onDone={onDone} />
    case 'role':
      return <ChangeRole operator={asked.operator} cursor={cursor} onClose={onClose} onDone={onDone} />
    case 'reset':
      return <ResetOperator operator={asked.operator} onClose={onClose} onDone={onDone} />
    case 'remove':
      return <RemoveOperator operator={asked.operator} onClose={onClose} onDone={onDone} />
    default:
      return asked satisfies never
  }
}
