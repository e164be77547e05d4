import { Badge, Button, Group } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Api, resultOf } from '../../api.ts'
import { Pager } from '../../components/data-table.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { Icon } from '../../components/icon.tsx'
import { Section } from '../../components/page.tsx'
import { Time, useNumber, visible } from '../../components/shown.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import { WithReason } from '../rooms/conversation/reason.tsx'
import { jobsTexts } from './texts.ts'

const perPage = 50

interface OutcomesProps {
  job: string
  skip: number
  onSkip: (skip: number | undefined) => void
  onClose: () => void
}

/** The outcomes of a batch, or the file of an export. They contain conversations, so reading needs a reason. */
export function Outcomes(props: OutcomesProps) {
  const t = useTexts(jobsTexts)
  const hide = (
    <Button size="compact-sm" variant="default" onClick={props.onClose}>
      {t.hide}
    </Button>
  )
  return (
    <Section title={t.outcomesOf(props.job)} actions={hide}>
      <WithReason about={`job ${props.job}`}>{(api) => <List api={api} {...props} />}</WithReason>
    </Section>
  )
}

function List({ api, job, skip, onSkip }: OutcomesProps & { api: Api }) {
  const t = useTexts(jobsTexts)
  const common = useTexts(commonTexts)
  const number = useNumber()
  const { app } = useApp()
  const query = useQuery({
    queryKey: [app, 'outcomes', job, skip],
    queryFn: async ({ signal }) => {
      const params = { path: { id: job }, query: { skip, limit: perPage } }
      const found = await resultOf(api.GET('/admin/jobs/{id}', { params, signal }))
      return { file: found.export, ...(found.outcomes ?? { totalCount: 0, data: [] }) }
    },
    placeholderData: keepPreviousData,
  })
  return (
    <Loaded query={query} rows={3}>
      {({ file, totalCount, data }) =>
        file ? (
          <Group gap="sm">
            <Button component="a" href={file.url} leftSection={<Icon name="file" size={16} />}>
              {t.download(number(file.size))}
            </Button>
            <Dimmed>
              {t.keptUntil} <Time at={file.urlExpiresAtMS} />
            </Dimmed>
          </Group>
        ) : data.length === 0 ? (
          <Empty icon="list" title={t.noOutcomes} />
        ) : (
          <>
            <ol className="outcomes" start={skip + 1} aria-label={t.outcomes}>
              {data.map((outcome, at) => (
                <li key={skip + at}>
                  {'error' in outcome ? (
                    <>
                      <Badge color="red">{outcome.error.code}</Badge> <bdi>{visible(outcome.error.message)}</bdi>
                    </>
                  ) : (
                    <bdi>{t.sent(visible(outcome.result.room), number(outcome.result.seq))}</bdi>
                  )}
                </li>
              ))}
            </ol>
            <Pager
              count={common.shown(`${number(skip + 1)}–${number(skip + data.length)}`, number(totalCount))}
              cursor={skip > 0 ? String(skip) : undefined}
              next={skip + data.length < totalCount ? String(skip + perPage) : undefined}
              onPage={(to) => onSkip(to === undefined ? undefined : Number(to))}
            />
          </>
        )
      }
    </Loaded>
  )
}
