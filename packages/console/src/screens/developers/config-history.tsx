import { useQuery } from '@tanstack/react-query'
import type { components } from '../../../generated/openapi.ts'
import { resultOf } from '../../api.ts'
import { Diff } from '../../components/diff.tsx'
import { prettyJson } from '../../components/exact-json.ts'
import { Section } from '../../components/page.tsx'
import { Time, visible } from '../../components/shown.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { developersTexts } from './texts.ts'

type Entry = components['schemas']['AuditEntry']

/** Configuration changes from the audit log, which omits the values of private keys. */
export function ConfigHistory() {
  const t = useTexts(developersTexts)
  const { app, api } = useApp()
  const query = useQuery({
    queryKey: [app, 'config history'],
    queryFn: async ({ signal }) => {
      const of = async (action: string) =>
        (await resultOf(api.GET('/admin/audit', { params: { query: { action, limit: 20 } }, signal }))).data
      const found = await Promise.all([of('setConfig'), of('deleteConfigKey')])
      return found
        .flat()
        .toSorted((a, b) => b.atMS - a.atMS)
        .slice(0, 20)
    },
  })
  return (
    <Section title={t.history}>
      <Loaded query={query}>
        {(entries) =>
          entries.length === 0 ? (
            <Empty icon="list" title={t.noHistory} />
          ) : (
            entries.map((entry) => <Change key={entry.id} entry={entry} />)
          )
        }
      </Loaded>
    </Section>
  )
}

function Change({ entry }: { entry: Entry }) {
  const { before, after, actor, actorName = actor, atMS, subject } = entry
  return (
    <details className="change">
      <summary>
        <Time at={atMS} /> · <bdi>{visible(actorName)}</bdi> · <bdi>{visible(subject.id)}</bdi>
      </summary>
      <Diff before={prettyJson(before ?? {})} after={prettyJson(after ?? {})} />
    </details>
  )
}
