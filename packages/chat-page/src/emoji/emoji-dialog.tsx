import { useEffect, useState } from 'preact/hooks'
import { Dialog } from '../app/dialog.tsx'
import { useChat } from '../state/chat.ts'
import type { EmojiPicker, Emojis } from './emoji-picker.tsx'

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

interface PickerParts {
  EmojiPicker: typeof EmojiPicker
  emojis: Emojis
}

const data: Readonly<Record<string, () => Promise<{ default: Emojis }>>> = {
  de: () => import('virtual:emoji/de'),
  es: () => import('virtual:emoji/es'),
  fr: () => import('virtual:emoji/fr'),
  ja: () => import('virtual:emoji/ja'),
  pt: () => import('virtual:emoji/pt'),
  zh: () => import('virtual:emoji/zh'),
}

/** Loads the picker with names in the user's language, or in English. @param lang BCP 47 tag */
async function loadEmojis(lang: string): Promise<PickerParts> {
  const load = data[lang.split('-', 1)[0] ?? ''] ?? (() => import('virtual:emoji/en'))
  const [picker, { default: emojis }] = await Promise.all([import('./emoji-picker.tsx'), load()])
  return { EmojiPicker: picker.EmojiPicker, emojis }
}
