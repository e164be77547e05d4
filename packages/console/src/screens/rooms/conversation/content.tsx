import { Anchor, Code, Text } from '@mantine/core'
import { Dimmed } from '../../../components/dimmed.tsx'
import { UserText, visible } from '../../../components/shown.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { conversationTexts } from './texts.ts'
import type { Message } from './use-messages.ts'

const systemTypes = ['joinRoom', 'addMembers', 'leaveRoom', 'deleteMember'] as const
const link = /(https?:\/\/[^\s<>"'’”）)]+)/g

/** A message's text, or its content as JSON if it has an app-specific format. */
export function MessageContent({
  message: { message, messageType, isDeleted, expiresAtMS, system },
}: {
  message: Pick<Message, 'message' | 'messageType' | 'isDeleted' | 'expiresAtMS' | 'system'>
}) {
  const t = useTexts(conversationTexts)
  if (message === undefined) {
    const isExpired = expiresAtMS !== undefined && expiresAtMS <= Date.now()
    const text = messageType === 'recall' ? t.recalled : isExpired ? t.expired : isDeleted ? t.deleted : ''
    return <Dimmed fs="italic">{text}</Dimmed>
  }
  const event = system ? systemTypes.find((type) => type === messageType) : undefined
  if (event) {
    const { members = [] } = message as { members?: unknown[] }
    return (
      <Dimmed>
        {t[event]} <UserText text={members.map(String).join(', ')} />
      </Dimmed>
    )
  }
  const { text, rest } = textAndRest(message)
  return (
    <div className={isDeleted ? 'kept' : undefined}>
      {isDeleted && (
        <Text size="xs" c="red">
          {t.deleted}
        </Text>
      )}
      {text !== '' && <Linked text={text} />}
      {rest !== undefined && (
        <Code block className="json">
          {visible(JSON.stringify(rest, null, 2))}
        </Code>
      )}
    </div>
  )
}

/** A text with links, which send no referrer. */
function Linked({ text }: { text: string }) {
  return (
    <Text size="sm" component="div" className="message-text" dir="auto">
      {text.split(link).map((part, i) =>
        i % 2 === 1 && URL.canParse(part) ? (
          // oxlint-disable-next-line react/no-array-index-key -- parts of one text
          <Anchor key={i} href={part} target="_blank" rel="noreferrer noopener nofollow">
            {visible(part)}
          </Anchor>
        ) : (
          visible(part)
        ),
      )}
    </Text>
  )
}

/** Splits a content into its text and other fields. */
function textAndRest(content: unknown): { text: string; rest?: unknown } {
  if (typeof content === 'string') return { text: content }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return { text: '', rest: content }
  const { text, ...rest } = content as Record<string, unknown>
  if (typeof text !== 'string') return { text: '', rest: content }
  return { text, ...(Object.keys(rest).length > 0 && { rest }) }
}
