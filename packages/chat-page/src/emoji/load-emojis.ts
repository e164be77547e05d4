import type { Language } from '../texts/language.ts'
import type { Emojis } from './emojis.ts'

type Emojis = typeof import('virtual:emoji/en')['default']

export interface PickerParts {
  EmojiPicker: typeof import('./emoji-picker.tsx')['EmojiPicker']
  emojis: Emojis
}

const data: Partial<Record<Language, () => Promise<{ default: Emojis }>>> = {
  zh: () => import('virtual:emoji/zh'),
}

/** The picker, with names in the language where there are some. */
export async function loadEmojis(lang: Language): Promise<PickerParts> {
  const load = data[lang] ?? (() => import('virtual:emoji/en'))
  const [{ EmojiPicker }, { default: emojis }] = await Promise.all([import('./emoji-picker.tsx'), load()])
  return { EmojiPicker, emojis }
}
