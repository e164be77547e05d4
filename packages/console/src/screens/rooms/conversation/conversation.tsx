import { ActionIcon, Group, Switch, TextInput, Title, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { type Api, resultOf } from '../../../api.ts'
import { Dimmed } from '../../../components/dimmed.tsx'
import { checkProps, textProps } from '../../../components/field-props.ts'
import { Icon } from '../../../components/icon.tsx'
import { SearchField } from '../../../components/search-field.tsx'
import { visible } from '../../../components/shown.tsx'
import { useUrlText } from '../../../components/use-url-text.ts'
import { useApp } from '../../../session/session.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { messageSearch } from '../searches.ts'
import { MessageList } from './message-list.tsx'
import { MessageRow, namesIn } from './message-row.tsx'
import { ReadingContext } from './reading.ts'
import { WithReason } from './reason.tsx'
import { SearchPanel } from './search-panel.tsx'
import { conversationTexts } from './texts.ts'
import { type ReadPage, readOne, type Start } from './use-messages.ts'

const route = getRouteApi('/shell/apps/$app/rooms/$room')

/** The messages of a room, for which a reason is needed: the latest, from a day on, or around a message. */
export function Conversation({ room }: { room: string }) {
  return (
    <WithReason about={room}>
      {(api, reason, change) => (
        <ReadingContext value={api}>
          <Reading room={room} api={api} reason={reason} onChangeReason={change} />
        </ReadingContext>
      )}
    </WithReason>
  )
}

function Reading({
  room,
  api,
  reason,
  onChangeReason,
}: {
  room: string
  api: Api
  reason: string
  onChangeReason: () => void
}) {
  const t = useTexts(conversationTexts)
  const { message, date, thread, reply, find } = route.useSearch()
  const navigate = route.useNavigate()
  const [isKept, setKept] = useState(false)
  // Counts jumps, so that a jump to the same place remounts the list.
  const [jump, setJump] = useState(0)
  const read = useMemo<ReadPage>(
    () => async (query) => {
      const includeDeleted = isKept ? ('true' as const) : ('false' as const)
      const params = { path: { id: room }, query: { ...query, includeDeleted } }
      return (await resultOf(api.GET('/admin/rooms/{id}/messages', { params }))).data
    },
    [api, room, isKept],
  )
  const start = useMemo(() => startOf(message, date), [message, date])
  const toLatest = () => {
    setJump(jump + 1)
    void navigate({ search: (now) => ({ ...now, message: undefined, date: undefined }) })
  }
  const openThread = (root: string) =>
    void navigate({ search: (now) => ({ ...now, thread: root, reply: undefined, find: undefined }) })
  return (
    <>
      <Tools isKept={isKept} onKept={setKept} reason={reason} onChangeReason={onChangeReason} />
      <div className="conversation">
        <MessageList
          key={JSON.stringify([start, isKept, jump])}
          label={t.messages}
          read={read}
          start={start}
          onThread={openThread}
          onLatest={toLatest}
        />
        {thread !== undefined && (
          <Panel
            title={t.thread}
            onClose={() => void navigate({ search: (now) => ({ ...now, thread: undefined, reply: undefined }) })}
          >
            <Thread
              key={JSON.stringify([thread, reply])}
              root={thread}
              readRoom={read}
              reply={reply}
              api={api}
              onLatest={() => void navigate({ search: (now) => ({ ...now, reply: undefined }) })}
            />
          </Panel>
        )}
        {find !== undefined && thread === undefined && (
          <Panel title={t.found} onClose={() => void navigate({ search: (now) => ({ ...now, find: undefined }) })}>
            <SearchPanel
              room={room}
              keyword={find}
              onFound={(id, of) =>
                void navigate({ search: (now) => ({ ...now, ...messageSearch(id, of), date: undefined }) })
              }
            />
          </Panel>
        )}
      </div>
    </>
  )
}

function Tools({
  isKept,
  onKept,
  reason,
  onChangeReason,
}: {
  isKept: boolean
  onKept: (isKept: boolean) => void
  reason: string
  onChangeReason: () => void
}) {
  const t = useTexts(conversationTexts)
  const { date, find } = route.useSearch()
  const navigate = route.useNavigate()
  const [day, putDay] = useUrlText(date ?? '', (next) => {
    // While a year is typed, it is a year such as 20.
    if (next !== '' && !(new Date(next).getTime() >= 0)) return
    void navigate({ search: (now) => ({ ...now, date: next || undefined, message: undefined }) })
  })
  return (
    <div className="tools">
      <SearchField
        label={t.find}
        value={find ?? ''}
        onSearch={(next) =>
          void navigate({
            search: (now) => ({ ...now, find: next.trim() || undefined, thread: undefined, reply: undefined }),
            replace: true,
          })
        }
      />
      <TextInput type="date" label={t.date} {...textProps(day, putDay)} />
      <Tooltip label={t.keptHint} multiline maw={260}>
        <div className="beside">
          <Switch label={t.kept} {...checkProps(isKept, onKept)} />
        </div>
      </Tooltip>
      <Group gap={4} wrap="nowrap" className="beside reason">
        <Dimmed size="xs" className="cut" title={reason}>
          {t.reason}: {visible(reason)}
        </Dimmed>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={t.changeReason} onClick={onChangeReason}>
          <Icon name="edit" size={14} />
        </ActionIcon>
      </Group>
    </div>
  )
}

function Panel({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const t = useTexts(conversationTexts)
  return (
    <aside className="panel" aria-label={title}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
        <ActionIcon variant="subtle" color="gray" aria-label={t.close} onClick={onClose}>
          <Icon name="close" />
        </ActionIcon>
      </Group>
      {children}
    </aside>
  )
}

/** The root of a thread, and its replies. */
function Thread({
  root,
  readRoom,
  reply,
  api,
  onLatest,
}: {
  root: string
  readRoom: ReadPage
  /** The message to start at, instead of the latest. */
  reply: string | undefined
  api: Api
  onLatest: () => void
}) {
  const t = useTexts(conversationTexts)
  const read = useMemo<ReadPage>(
    () => async (query) => {
      const params = { path: { id: root }, query }
      return (await resultOf(api.GET('/admin/messages/{id}/thread', { params }))).data
    },
    [api, root],
  )
  const start = useMemo(() => startOf(reply, undefined), [reply])
  const { app } = useApp()
  const { data: message } = useQuery({
    queryKey: [app, 'root', root],
    queryFn: () => readOne(readRoom, root),
  })
  return (
    <>
      {message && (
        <div className="thread-root">
          <MessageRow message={message} names={namesIn([message])} />
        </div>
      )}
      <MessageList label={t.thread} read={read} start={start} root={root} onLatest={onLatest} />
    </>
  )
}

function startOf(message: string | undefined, date: string | undefined): Start {
  if (message !== undefined) return { at: 'message', id: message }
  // Midnight in the operator's time zone.
  const timeMS = date === undefined ? Number.NaN : new Date(`${date}T00:00`).getTime()
  return Number.isNaN(timeMS) ? { at: 'end' } : { at: 'time', timeMS }
}
