import { Badge, Text } from '@mantine/core'
import { formatTime } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { ViewLink, visible } from '../../components/shown.tsx'
import { useApp } from '../../session/session.tsx'
import { useLanguage, useTexts } from '../../texts/texts.ts'
import type { Entry } from './entry.ts'
import { inChinese } from './in-chinese.ts'
import { kindIcons } from './kinds.ts'
import type { TimelineSearch } from './search.ts'
import { timelineTexts } from './texts.ts'

const bad = /REFUSED|FAILED|GIVEN_UP|BANNED|DEAD|NONE$|TOKEN_EXPIRED|REPORT_OPEN/
const good = /^(PUSH_SENT|DELIVERED|CALL_DONE|READ|CONNECTED)/

export function EntryLine({ entry, search }: { entry: Entry; search: TimelineSearch }) {
  const t = useTexts(timelineTexts)
  const language = useLanguage()
  const { kind, code, reason, node, timeMS } = entry
  // The server's description is in English.
  const chinese = language === 'zh' ? inChinese(entry) : undefined
  const colour = bad.test(code) ? 'red' : good.test(code) ? 'teal' : 'gray'
  return (
    <li className="timeline-entry" data-kind={kind}>
      <Moment at={timeMS} />
      <Badge color={colour} leftSection={<Icon name={kindIcons[kind]} size={12} />} className="timeline-kind">
        {t[kind]}
      </Badge>
      <div className="timeline-text">
        <Text size="sm" {...(chinese === undefined && { lang: 'en' })}>
          <bdi>{capitalized(visible(chinese ?? withLocalTimes(reason)))}</bdi>
        </Text>
        <Refs entry={entry} search={search} />
        {node !== undefined && (
          <Text size="xs" c="dimmed" component="span">
            {t.onNode(node)}
          </Text>
        )}
      </div>
    </li>
  )
}

/** Replaces the ISO times of the server's descriptions by the operator's time. Names in them can look like a time. */
const withLocalTimes = (text: string) =>
  text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (iso) => {
    const atMS = Date.parse(iso)
    return Number.isNaN(atMS) ? iso : formatTime('en', 'toTheSecond', atMS)
  })

const capitalized = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Shows milliseconds, since the order of events matters. */
function Moment({ at }: { at: number }) {
  const language = useLanguage()
  const date = new Date(at)
  return (
    <time className="timeline-time" dateTime={date.toISOString()} title={date.toISOString()}>
      <span>{formatTime(language, 'toTheMillisecond', date)}</span>
      <Text span size="xs" c="dimmed">
        {formatTime(language, 'shortDay', date)}
      </Text>
    </time>
  )
}

function Refs({ entry: { refs }, search }: { entry: Entry; search: TimelineSearch }) {
  const { app } = useApp()
  const t = useTexts(timelineTexts)
  const { room, user, device, message, request } = refs
  return (
    <div className="timeline-refs">
      {room !== undefined && room !== search.room && (
        <ViewLink size="xs" to="/apps/$app/timeline" params={{ app }} search={{ ...search, room }}>
          {t.inRoom(visible(room))}
        </ViewLink>
      )}
      {user !== undefined && user !== search.user && (
        <ViewLink size="xs" to="/apps/$app/timeline" params={{ app }} search={{ ...search, user, device: undefined }}>
          {t.ofUser(visible(user))}
        </ViewLink>
      )}
      {device !== undefined && search.device === undefined && search.user !== undefined && (
        <ViewLink size="xs" to="/apps/$app/timeline" params={{ app }} search={{ ...search, device }}>
          {t.onDevice(visible(device))}
        </ViewLink>
      )}
      {message !== undefined && (
        <Text size="xs" c="dimmed" component="span">
          {t.messageId(message)}
        </Text>
      )}
      {request !== undefined && (
        <Text size="xs" c="dimmed" component="span">
          {t.requestId(request)}
        </Text>
      )}
    </div>
  )
}
