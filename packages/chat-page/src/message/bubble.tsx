import type { Room, RoomMessage, Thread } from '@parley/client'
import { Avatar, hueOf } from '../app/avatar.tsx'
import { Button, IconButton } from '../app/button.tsx'
import { Icon } from '../app/icon.tsx'
import { Slot } from '../app/slot.tsx'
import { UnreadBadge } from '../app/unread-badge.tsx'
import type { Row } from '../room/rows.ts'
import { clockTime, fullTime } from '../room/times.ts'
import { sentenceOf, useChat, useStore } from '../state/chat.ts'
import { nameOf, personIn } from '../state/people.ts'
import { contentOf } from './content.ts'
import { MessageBody } from './message-body.tsx'
import type { OpenMenu } from './message-menu.tsx'
import { Quote } from './quote.tsx'
import { Reactions } from './reactions.tsx'

export interface MessageRowProps {
  room: Room
  row: Row
  /** Number of other members in the room. */
  others: number
  /** Whether the user has just jumped to the message. */
  isFound: boolean
  onGoTo: (messageID: string) => void
  /** Opens the menu. Without it, the message has none. */
  onMenu?: (menu: OpenMenu) => void
  /** Opens the thread about a message. */
  onThread?: ((messageID: string) => void) | undefined
}

/** A member's message with its sender, reactions and thread. */
export function Bubble(props: MessageRowProps) {
  const { room, row, isFound, onThread } = props
  const { client, texts, lang, shownPerson } = useChat()
  const { message, startsGroup, endsGroup } = row
  const me = useStore(client.me)?._id ?? ''
  const { isMine, sender, state } = message
  const name = nameOf(sender)
  const isGone = message.isDeleted || contentOf(message).kind === 'recalled'
  const mentionsMe = !isMine && message.mentions?.includes(me) === true
  const classes = [
    'message',
    isMine ? 'mine' : 'theirs',
    startsGroup && 'starts',
    endsGroup && 'ends',
    isGone && 'gone',
    mentionsMe && 'mentions-me',
    state === 'failed' && 'is-failed',
    isFound && 'is-found',
    message.streaming && 'is-live',
  ]
  const time = fullTime(message.messageTimeMS, lang)
  return (
    <article
      class={classes.filter(Boolean).join(' ')}
      data-id={message._id}
      aria-label={`${isMine ? texts.you : name}, ${time}`}
      aria-busy={message.streaming === true}
    >
      {!isMine && (
        <div class="side-avatar">
          {endsGroup && (
            <button
              type="button"
              tabIndex={-1}
              aria-label={texts.people.profileOf(name)}
              onClick={() => shownPerson.set({ user: sender._id, message })}
            >
              <Avatar id={sender._id} name={name} url={sender.avatarUrl} isSmall />
            </button>
          )}
        </div>
      )}
      <div class="column">
        {!isMine && startsGroup && (
          <div class="sender">
            <button
              type="button"
              class={`name ${hueOf(sender._id)}`}
              tabIndex={-1}
              onClick={() => shownPerson.set({ user: sender._id, message })}
            >
              <bdi>{name}</bdi>
            </button>
            {sender.isRobot === true && <span class="tag">{texts.robot}</span>}
          </div>
        )}
        <BubbleLine {...props} isGone={isGone} />
        <Reactions room={room} message={message} me={me} />
        {onThread && message.threadCount !== undefined && (
          <ThreadLink message={message} thread={room.thread(message._id)} onThread={onThread} />
        )}
        {state === 'failed' && <Failure room={room} message={message} />}
      </div>
    </article>
  )
}

/** Content, delivery state and menu button. */
function BubbleLine({ room, row, others, isGone, onGoTo, onMenu }: MessageRowProps & { isGone: boolean }) {
  const { texts, lang, direction } = useChat()
  const { message } = row
  const { isMine, state } = message
  const openMenu = (element: HTMLElement) => onMenu?.({ message, anchor: element.getBoundingClientRect() })
  return (
    <div class="line">
      <div
        class="bubble"
        onContextMenu={(event) => {
          // A long press opens the menu on touch devices; a mouse uses the button.
          if (!matchMedia('(pointer: coarse)').matches) return
          event.preventDefault()
          openMenu(event.currentTarget)
        }}
      >
        {message.replyTo && !isGone && message.replyTo._id !== message.threadOf && (
          <Quote quote={message.replyTo} onGoTo={onGoTo} />
        )}
        {/* The text's first letter sets the direction. The page's own parts set theirs. */}
        <div class="content" dir="auto">
          <Slot of="messageBody" about={{ message }}>
            <MessageBody message={message} />
          </Slot>
          {message.streaming && <span class="caret" aria-hidden="true" />}
          <span class="meta">
            <span dir={direction}>
              {message.pinned && <Icon name="pin" />}
              {message.edited === true && !isGone && <span>{texts.edited}</span>}
              <time title={fullTime(message.messageTimeMS, lang)}>{clockTime(message.messageTimeMS, lang)}</time>
              {isMine && !isGone && <Delivery {...{ room, message, others }} />}
            </span>
          </span>
        </div>
      </div>
      {onMenu && (!isGone || state === 'failed') && (
        <IconButton
          icon="more"
          class="menu-button"
          data-menu
          label={texts.actions}
          aria-haspopup="menu"
          tabIndex={-1}
          onClick={(event) => openMenu(event.currentTarget)}
        />
      )}
    </div>
  )
}

function Failure({ room, message }: { room: Room; message: RoomMessage }) {
  const { texts } = useChat()
  return (
    <p class="failure">
      {sentenceOf(texts, message.error)}{' '}
      <Button class="link" onClick={() => void room.retry(message.key).catch(() => undefined)} label={texts.retry} />
    </p>
  )
}

interface ThreadLinkProps {
  message: RoomMessage
  thread: Thread
  onThread: (messageID: string) => void
}

const mostShown = 3

/** Below a message: its thread's participants and number of replies. */
function ThreadLink({ message, thread, onThread }: ThreadLinkProps) {
  const { texts, people } = useChat()
  const known = useStore(people.known)
  const unread = useStore(thread.unread)
  const { threadCount = 0, threadParticipants = [] } = message
  return (
    <button type="button" class="thread-link" onClick={() => onThread(message._id)}>
      <span class="thread-people">
        {threadParticipants.slice(0, mostShown).map((id) => {
          const person = personIn(known, id)
          return <Avatar key={id} id={id} name={nameOf(person)} url={person.avatarUrl} isSmall />
        })}
      </span>
      {texts.replies(threadCount)}
      <UnreadBadge unread={unread} />
    </button>
  )
}

interface DeliveryProps {
  room: Room
  message: RoomMessage
  /** Number of other members in the room. */
  others: number
}

/** The delivery state of the user's own message. */
function Delivery({ room, message: { _id, state }, others }: DeliveryProps) {
  const { texts } = useChat()
  useStore(room.readers)
  useStore(room.delivered)
  const readBy = state === 'sent' ? room.readBy(_id).length : 0
  const deliveredTo = state === 'sent' ? room.deliveredTo(_id).length : 0
  if (deliveredTo > 0) {
    const isRead = readBy > 0
    const ofGroup = isRead ? texts.readBy(readBy) : texts.deliveredTo(deliveredTo)
    const label = others > 1 ? ofGroup : isRead ? texts.read : texts.delivered
    return (
      <span class={isRead ? 'delivery is-read' : 'delivery'} title={label}>
        <Icon name="checks" />
        {isRead && others > 1 && <span aria-hidden="true">{readBy}</span>}
        <span class="visually-hidden">{label}</span>
      </span>
    )
  }
  const icons = { queued: 'clock', sending: 'clock', sent: 'check', failed: 'warning' } as const
  return (
    <span class="delivery" title={texts[state]}>
      <Icon name={icons[state]} />
      <span class="visually-hidden">{texts[state]}</span>
    </span>
  )
}
