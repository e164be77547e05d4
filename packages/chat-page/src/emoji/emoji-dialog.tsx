import { useEffect, useState } from 'preact/hooks'
import { Dialog } from '../app/dialog.tsx'
import { useChat } from '../state/chat.ts'
import { loadEmojis, type PickerParts } from './load-emojis.ts'

interface EmojiDialogProps {
  onPick: (emoji: string) => void
  onClose: () => void
}

/** All emoji, by group or search. The picker and its data load on first use. */
export function EmojiDialog({ onPick, onClose }: EmojiDialogProps) {
  const { texts, lang, attempt } = useChat()
  const [parts, setParts] = useState<PickerParts>()
  useEffect(() => {
    void attempt(async () => setParts(await loadEmojis(lang)))
  }, [])
  return (
    <Dialog title={texts.emoji} onClose={onClose}>
      {parts ? (
        <parts.EmojiPicker
          emojis={parts.emojis}
          onPick={(emoji) => {
            onClose()
            onPick(emoji)
          }}
        />
      ) : (
        <p class="soft">{texts.loading}</p>
      )}
    </Dialog>
  )
}
