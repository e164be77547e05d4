import { Badge, Button, Checkbox, Group, Paper, Text } from '@mantine/core'
import { useState } from 'react'
import { Act } from '../../components/act.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { checkProps } from '../../components/field-props.ts'
import type { Names } from '../../components/names.ts'
import { PersonLink, RoomLink } from '../../components/person.tsx'
import { Name, Time, UserText, useNumber, ViewLink } from '../../components/shown.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { MessageContent } from '../rooms/conversation/content.tsx'
import { Context } from './context.tsx'
import { decidedTexts, type Report } from './report.ts'
import { moderationTexts } from './texts.ts'

interface NamesOfReports {
  users: Names
  rooms: Names
}

/** A reported message with its reasons, context, sender and reporter. */
export function ReportCard({
  report,
  names,
  isChosen,
  onChoose,
  onDecide,
}: {
  report: Report
  names: NamesOfReports
  isChosen?: boolean
  /** Undefined if the report cannot be decided. */
  onChoose?: (isChosen: boolean) => void
  onDecide: () => void
}) {
  const t = useTexts(moderationTexts)
  const { app, may } = useApp()
  const [isOpen, setOpen] = useState(false)
  const { sender, reasons, message, messageType } = report
  return (
    <Paper withBorder p="md" component="article" aria-label={sender} className="report">
      <Group gap="sm" align="flex-start" wrap="nowrap">
        {onChoose && <Checkbox mt={4} aria-label={t.select(sender)} {...checkProps(isChosen ?? false, onChoose)} />}
        <div className="grow report-body">
          <Head report={report} names={names} />
          <div className="reported">
            {message === undefined ? (
              <Dimmed fs="italic">{t.contentGone}</Dimmed>
            ) : (
              <MessageContent message={{ message, messageType, isDeleted: false }} />
            )}
          </div>
          <ul className="reasons" aria-label={t.reasons}>
            {reasons.map(({ client, reason, atMS }) => (
              <li key={client}>
                <UserText text={reason} />{' '}
                <Text span size="xs" c="dimmed">
                  <ViewLink to="/apps/$app/users/$user" params={{ app, user: client }} size="xs">
                    <Name name={names.users.get(client)} id={client} />
                  </ViewLink>{' '}
                  · <Time at={atMS} />
                </Text>
              </li>
            ))}
          </ul>
          <Group gap="xs" mt="sm">
            {report.status === 'open' && (
              <Act
                operation="POST /admin/reports/{id}/decide"
                icon="shield"
                label={t.decide}
                variant="light"
                onClick={onDecide}
              />
            )}
            {may('GET /admin/rooms/{id}/messages') && (
              <Button size="xs" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
                {isOpen ? t.hideContext : t.context}
              </Button>
            )}
          </Group>
          {isOpen && <Context report={report} />}
        </div>
      </Group>
    </Paper>
  )
}

function Head({ report, names }: { report: Report; names: NamesOfReports }) {
  const t = useTexts(moderationTexts)
  const number = useNumber()
  const { sender, room, count, messageTimeMS, decision, decidedAtMS } = report
  return (
    <Group gap={8}>
      <PersonLink person={{ _id: sender, nickname: names.users.get(sender) ?? '' }} withId />
      <Dimmed>{t.wroteIn}</Dimmed>
      <RoomLink id={room} name={names.rooms.get(room)} />
      <Dimmed>
        <Time at={messageTimeMS} />
      </Dimmed>
      <Badge color="orange">{t.reportedBy(number(count))}</Badge>
      {decision && (
        <Badge color="gray">
          {t[decidedTexts[decision]]} · <Time at={decidedAtMS} />
        </Badge>
      )}
    </Group>
  )
}
