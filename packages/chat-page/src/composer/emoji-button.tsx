import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../app/icon.tsx'
import { EmojiDialog } from '../emoji/emoji-dialog.tsx'
import { useChat } from '../state/chat.ts'

interface EmojiButtonProps {
  field: RefObject<HTMLTextAreaElement | null>
  onText: (text: string) => void
}

/** Inserts an emoji at the caret. CSS hides it on phones, whose keyboards have their own. */
export function EmojiButton({ field, onText }: EmojiButtonProps) {
  const { texts } = useChat()
  const [isOpen, setOpen] = useState(false)
  const insert = (emoji: string) => {
    if (!field.current) return
    const { value, selectionStart, selectionEnd } = field.current
    const caret = selectionStart + emoji.length
    onText(value.slice(0, selectionStart) + emoji + value.slice(selectionEnd))
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(caret, caret)
    })
  }
  return (
    <>
      <button
        type="button"
        class="icon-button attach emoji-button"
        aria-label={texts.emoji}
        title={texts.emoji}
        onClick={() => setOpen(true)}
      >
        <Icon name="smile" />
      </button>
      {isOpen && <EmojiDialog onPick={insert} onClose={() => setOpen(false)} />}
    </>
  )
}
