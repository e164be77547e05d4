import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Api, resultOf } from '../../api.ts'
import { Dimmed } from '../../components/dimmed.tsx'
import { Facts } from '../../components/page.tsx'
import { PersonLink } from '../../components/person.tsx'
import { Time, useNumber, ViewLink } from '../../components/shown.tsx'
import { Loaded } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import { MessageRow, namesIn } from '../rooms/conversation/message-row.tsx'
import { ReadingContext, useReadingApi } from '../rooms/conversation/reading.ts'
import { WithReason } from '../rooms/conversation/reason.tsx'
import { messageSearch } from '../rooms/searches.ts'
import { decidedTexts, type Report } from './report.ts'
import { moderationTexts } from './texts.ts'

const around = 5

/** The messages around a reported one, for which a reason is needed, and the profiles of sender and reporter. */
export function Context({ report }: { report: Report }) {
  const t = useTexts(moderationTexts)
  const { may } = useApp()
  const reporter = report.reasons.at(-1)?.client
  return (
    <div className="context">
      <WithReason about={report.room}>
        {(api) => (
          <ReadingContext value={api}>
            <Around report={report} api={api} />
          </ReadingContext>
        )}
      </WithReason>
      {may('GET /admin/clients/{client_id}') && (
        <section aria-label={t.people} className="columns">
          <History user={report.sender} label={t.sender} />
          {reporter !== undefined && <History user={reporter} label={t.reporter} />}
        </section>
      )}
    </div>
  )
}

function Around({ report, api }: { report: Report; api: Api }) {
  const t = useTexts(moderationTexts)
  const { app } = useApp()
  const { room, messageID: id, threadOf } = report
  const query = useQuery({
    queryKey: [app, 'context', room, id],
    queryFn: async ({ signal }) => {
      const page = async (
        bounds: { beforeMessage?: string; afterMessage?: string; afterTime?: string },
        limit: number,
      ) => {
        const part = { limit, timeRangeField: 'createdAt' as const, ...bounds }
        if (threadOf === undefined) {
          const params = { path: { id: room }, query: part }
          return (await resultOf(api.GET('/admin/rooms/{id}/messages', { params, signal }))).data
        }
        const params = { path: { id: threadOf }, query: part }
        return (await resultOf(api.GET('/admin/messages/{id}/thread', { params, signal }))).data
      }
      const before = await page({ beforeMessage: id }, around)
      const [last] = before
      const rest = await page(last ? { afterMessage: last._id } : { afterTime: '0' }, around + 1)
      return [...before.toReversed(), ...rest]
    },
  })
  return (
    <Loaded query={query} rows={4}>
      {(messages) => (
        <>
          {/* Focusable, so that the keyboard can scroll it. */}
          <div className="log around" role="log" aria-label={t.context} tabIndex={0} ref={showWanted}>
            {messages.map((message) => (
              <MessageRow key={message._id} message={message} names={namesIn(messages)} isWanted={message._id === id} />
            ))}
          </div>
          <ViewLink to="/apps/$app/rooms/$room" params={{ app, room }} search={messageSearch(id, threadOf)} size="sm">
            {t.openRoom}
          </ViewLink>
        </>
      )}
    </Loaded>
  )
}

/** Scrolls to the reported message. */
function showWanted(log: HTMLElement | null): void {
  const wanted = log?.querySelector<HTMLElement>('.wanted')
  if (log && wanted) log.scrollTop = wanted.offsetTop - (log.clientHeight - wanted.offsetHeight) / 2
}

function History({ user, label }: { user: string; label: string }) {
  const t = useTexts(moderationTexts)
  const common = useTexts(commonTexts)
  const number = useNumber()
  const { app, api } = useApp()
  const query = useQuery({
    queryKey: [app, 'user', user],
    queryFn: ({ signal }) =>
      resultOf(api.GET('/admin/clients/{client_id}', { params: { path: { client_id: user } }, signal })),
  })
  return (
    <div className="history">
      <Dimmed size="xs" mb={4}>
        {label}
      </Dimmed>
      <Loaded query={query} rows={2}>
        {({ profile, roomCount, bans }) => (
          <>
            <Group mb="xs">
              <PersonLink person={profile} withId />
            </Group>
            <Facts
              facts={[
                [t.since, <Time key="since" at={profile.createdAt} />],
                [t.rooms, number(roomCount)],
                [t.bannedInApp, profile.ban ? common.yes : common.no],
                [t.bansInRooms, number(bans.length)],
                [t.wasReported, <Reports key="of" of={{ sender: user }} />],
                [t.hasReported, <Reports key="by" of={{ reporter: user }} />],
              ]}
            />
          </>
        )}
      </Loaded>
    </div>
  )
}

const shownReports = 10

/** The latest reports of a user's messages or by a user, with their decisions. */
function Reports({ of }: { of: { sender: string } | { reporter: string } }) {
  const t = useTexts(moderationTexts)
  const common = useTexts(commonTexts)
  const { app } = useApp()
  const api = useReadingApi()
  const query = useQuery({
    queryKey: [app, 'reports', of],
    queryFn: ({ signal }) =>
      resultOf(api.GET('/admin/reports', { params: { query: { ...of, limit: shownReports } }, signal })),
  })
  return (
    <Loaded query={query} rows={1}>
      {({ data }) =>
        data.length === 0 ? (
          common.none
        ) : (
          <ul className="reasons">
            {data.map(({ id, createdAtMS, decision }) => (
              <li key={id}>
                <Time at={createdAtMS} /> · {decision ? t[decidedTexts[decision]] : t.open}
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}
