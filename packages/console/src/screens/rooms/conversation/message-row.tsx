import { Badge, Group, Text, UnstyledButton } from '@mantine/core'
import { Dimmed } from '../../../components/dimmed.tsx'
import { formatTime } from '../../../components/formats.ts'
import { Icon } from '../../../components/icon.tsx'
import { Initial, RobotBadge } from '../../../components/person.tsx'
import { isBlank, Name, UserText, useNumber, ViewLink } from '../../../components/shown.tsx'
import { useApp } from '../../../session/session.tsx'
import { useLanguage, useTexts } from '../../../texts/texts.ts'
import { Attachments } from './attachments.tsx'
import { MessageContent } from './content.tsx'
import { MessageMenu } from './message-menu.tsx'
import { conversationTexts } from './texts.ts'
import type { Message } from './use-messages.ts'

/** Names of the senders of these messages, by ID. Quotes have only the ID. */
export function namesIn(messages: readonly Message[]): ReadonlyMap<string, string> {
  return new Map(messages.map(({ sender: { _id, nickname } }) => [_id, nickname]))
}

/** A message, or a stub if it was deleted. */
export function MessageRow({
  message,
  names,
  isWanted = false,
  root,
  onThread,
}: {
  message: Message
  names: ReadonlyMap<string, string>
  isWanted?: boolean
  /** Root of the shown thread, which its replies do not quote again. */
  root?: string | undefined
  onThread?: (root: string) => void
}) {
  const t = useTexts(conversationTexts)
  const number = useNumber()
  const { app } = useApp()
  const { sender, replyTo, threadCount, reactions } = message
  const shownName = isBlank(sender.nickname) ? sender._id : sender.nickname
  return (
    <article className={isWanted ? 'message wanted' : 'message'} aria-label={shownName}>
      <Initial name={shownName} size={32} />
      <div className="message-body">
        <Group gap={8} className="message-head">
          <ViewLink to="/apps/$app/users/$user" params={{ app, user: sender._id }} size="sm" fw={600} underline="hover">
            <Name name={sender.nickname} id={sender._id} />
          </ViewLink>
          {sender.isRobot && <RobotBadge />}
          <ClockTime atMS={message.createdAtMS} />
          <Marks message={message} />
        </Group>
        {replyTo && replyTo._id !== root && (
          <blockquote className="quote">
            <Text size="xs" fw={600}>
              <Name name={names.get(replyTo.sender)} id={replyTo.sender} />
            </Text>
            <Text size="xs" lineClamp={2}>
              {replyTo.isDeleted ? t.deleted : <UserText text={replyTo.text} />}
            </Text>
          </blockquote>
        )}
        <MessageContent message={message} />
        {message.attachments && <Attachments attachments={message.attachments} />}
        {reactions.length > 0 && <Reactions reactions={reactions} />}
        {threadCount !== undefined && onThread && (
          <UnstyledButton className="thread-link" onClick={() => onThread(message._id)}>
            <Icon name="rooms" size={14} />
            {t.replies(number(threadCount))}
          </UnstyledButton>
        )}
      </div>
      <MessageMenu message={message} />
    </article>
  )
}

function Marks({ message }: { message: Message }) {
  const t = useTexts(conversationTexts)
  return (
    <>
      {message.edited && <Dimmed size="xs">{t.edited}</Dimmed>}
      {message.pinned && (
        <Badge size="xs" leftSection={<Icon name="pin" size={10} />}>
          {t.pinned}
        </Badge>
      )}
      {message.streaming && (
        <Badge color="gray" size="xs">
          {t.streaming}
        </Badge>
      )}
    </>
  )
}

function ClockTime({ atMS }: { atMS: number }) {
  const language = useLanguage()
  const date = new Date(atMS)
  return (
    <Text component="time" size="xs" c="dimmed" dateTime={date.toISOString()} title={date.toISOString()}>
      {formatTime(language, 'clock', date)}
    </Text>
  )
}

function Reactions({ reactions }: { reactions: Message['reactions'] }) {
  const counts = Map.groupBy(reactions, ({ reaction }) => reaction)
  return (
    <span className="badges">
      {[...counts].map(([reaction, of]) => (
        <span key={reaction} className="reaction" title={of.map(({ client }) => client).join(', ')}>
          <UserText text={reaction} /> {of.length}
        </span>
      ))}
    </span>
  )
}
