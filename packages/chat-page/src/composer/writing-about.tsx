import type { RoomMessage, Store } from '@parley/client'
import { useEffect } from 'preact/hooks'
import { IconButton } from '../app/button.tsx'
import { DrawnText } from '../app/drawn-text.tsx'
import { Icon } from '../app/icon.tsx'
import { isolated } from '../app/shown-name.ts'
import { useNameOf } from '../message/quote.tsx'
import { usePreviewOf } from '../rooms/preview.ts'
import { useChat, useStore } from '../state/chat.ts'

/** The message being edited or replied to. */
export interface WritingAbout {
  kind: 'edit' | 'reply'
  message: RoomMessage
}

interface WritingAboutLineProps {
  about: WritingAbout
  messages: Store<readonly RoomMessage[]>
  onCancel: () => void
}

/**
 * The line above the text field with the current state of the message. Deleting the message cancels the edit or reply.
 */
export function WritingAboutLine({ about: { kind, message }, messages, onCancel }: WritingAboutLineProps) {
  const { client, texts } = useChat()
  const isOwn = useStore(client.me)?._id === message.sender._id
  const now = useStore(messages).find(({ _id }) => _id === message._id) ?? message
  const name = useNameOf(message.sender._id)
  const preview = usePreviewOf()(now)
  const isGone = now.isDeleted
  useEffect(() => {
    if (isGone) onCancel()
  }, [isGone])
  return (
    <div class="writing-about">
      <Icon name={kind} />
      <div class="writing-about-text" role="status">
        <strong>
          {kind === 'edit' ? texts.editing : isOwn ? texts.replyingToSelf : texts.replyingTo(isolated(name))}
        </strong>
        <DrawnText class="soft" text={preview} />
      </div>
      <IconButton icon="close" label={texts.cancel} onClick={onCancel} />
    </div>
  )
}
