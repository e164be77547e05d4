import type { Room } from '@parley/client'
import { DrawnText } from '../app/drawn-text.tsx'
import { Icon } from '../app/icon.tsx'
import { usePreviewOf } from '../rooms/preview.ts'
import { useChat, useStore } from '../state/chat.ts'

/** The latest pinned message. */
export function PinnedBar({ room, onGoTo }: { room: Room; onGoTo: (messageID: string) => void }) {
  const { texts } = useChat()
  const previewOf = usePreviewOf()
  const [pinned] = useStore(room.pinned)
  if (!pinned) return null
  const text = previewOf(pinned)
  return (
    <button type="button" class="pinned-bar" aria-label={`${texts.pinned}: ${text}`} onClick={() => onGoTo(pinned._id)}>
      <Icon name="pin" />
      <DrawnText text={text} />
    </button>
  )
}
