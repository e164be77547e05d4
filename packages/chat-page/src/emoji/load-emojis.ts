import type { EmojiPicker, Emojis } from './emoji-picker.tsx'

export interface PickerParts {
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

/**
 * Loads the picker with names in the user's language, or in English.
 * @param lang BCP 47 tag
 */
export async function loadEmojis(lang: string): Promise<PickerParts> {
  const load = data[lang.split('-', 1)[0] ?? ''] ?? (() => import('virtual:emoji/en'))
  const [picker, { default: emojis }] = await Promise.all([import('./emoji-picker.tsx'), load()])
  return { EmojiPicker: picker.EmojiPicker, emojis }
}
