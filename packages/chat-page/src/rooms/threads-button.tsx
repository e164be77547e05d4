import type { ThreadInfo } from '@parley/client/threads'
import { useState } from 'preact/hooks'
import { Avatar } from '../app/avatar.tsx'
import { Button } from '../app/button.tsx'
import { Dialog } from '../app/dialog.tsx'
import { DrawnText } from '../app/drawn-text.tsx'
import { Icon } from '../app/icon.tsx'
import { UnreadBadge } from '../app/unread-badge.tsx'
import { shortTime } from '../room/times.ts'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf } from '../state/people.ts'
import { usePlainText, usePreviewOf } from './preview.ts'
import { roomName } from './room-name.ts'

interface ThreadsProps {
  onThread: (roomID: string, threadID: string) => void
}

/** Shows the number of unread threads; a click lists all threads. */
export function ThreadsButton({ onThread }: ThreadsProps) {
  const { texts, threads } = useChat()
  const unread = useStore(threads.unread)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="icon-button threads-button" title={texts.threads} onClick={() => setOpen(true)}>
        <Icon name="thread" />
        <span class="visually-hidden">{texts.threads} </span>
        <UnreadBadge unread={unread} />
      </button>
      {isOpen && <ThreadsSheet onThread={onThread} onClose={() => setOpen(false)} />}
    </>
  )
}

function ThreadsSheet({ onThread, onClose }: ThreadsProps & { onClose: () => void }) {
  const { texts, threads, attempt } = useChat()
  const list = useStore(threads.list)
  const hasMore = useStore(threads.hasMore)
  return (
    <Dialog title={texts.threads} isSheet onClose={onClose}>
      {list.length === 0 && (
        <div class="nothing">
          <Icon name="thread" />
          <p class="nothing-title">{texts.noThreads}</p>
          <p>{texts.noThreadsHint}</p>
        </div>
      )}
      <ul class="plain-list">
        {list.map((thread) => (
          <li key={thread.root._id}>
            <ThreadRow
              thread={thread}
              onOpen={() => {
                onClose()
                onThread(thread.root.room, thread.root._id)
              }}
            />
          </li>
        ))}
      </ul>
      {hasMore && <Button class="button" onClick={() => void attempt(() => threads.loadMore())} label={texts.more} />}
    </Dialog>
  )
}

/** A thread's root message, latest reply and room. */
function ThreadRow({ thread: { root, totalCount, unread }, onOpen }: { thread: ThreadInfo; onOpen: () => void }) {
  const { client, texts, lang, today } = useChat()
  const now = useStore(today)
  const me = useStore(client.me)?._id
  const room = useStore(client.rooms).find(({ _id }) => _id === root.room)
  const last = root.lastThreadMessage
  const preview = usePreviewOf()(root)
  const plain = usePlainText()
  return (
    <button type="button" class="plain-row thread-row" onClick={onOpen}>
      <Avatar id={root.sender._id} name={nameOf(root.sender)} url={root.sender.avatarUrl} isSmall />
      <span class="room-text">
        <span class="room-line">
          <DrawnText text={preview} />
          <time class="soft">{shortTime(root.messageTimeMS, lang, now)}</time>
        </span>
        <span class="room-line soft">
          <DrawnText text={plain(last?.text ?? '')} />
        </span>
        <small class="soft">
          {room ? `${texts.inRoom(roomName(room, me))} · ` : ''}
          {texts.replies(totalCount)}
        </small>
      </span>
      <UnreadBadge unread={unread} />
    </button>
  )
}
