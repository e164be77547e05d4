import type { Store } from '@parley/client'
import { createValue } from '../state/value.ts'
import { english, type Texts, type Translation } from './en.ts'
import { findLanguage, loadTranslation, type WantedLanguage } from './language.ts'
import { makeTexts, type TextTree } from './sentence.ts'

/** The page's language and texts. */
interface Spoken {
  /** BCP 47 tag, for dates and numbers. */
  lang: string
  direction: 'ltr' | 'rtl'
  texts: Texts
}

export interface SpokenStore extends Store<Spoken> {
  /** Changes the language. @param tag BCP 47; without one, the browser's languages count */
  speak: (tag: string | undefined) => Promise<void>
  /** The app's texts by language: `{"en": {"chats": "Inbox"}}` (docs/reference/chat-page.md#texts). */
  useTextsOfApp: (textsByLanguage: unknown) => void
  /** Texts of the page's address or its host, in the page's language; they win over the app's. */
  useTextsOfPage: (texts: unknown) => void
}

/** English until another language is spoken. */
export function createSpoken(): SpokenStore {
  let wanted: WantedLanguage = findLanguage([])
  let translation: Translation | undefined
  let ofApp: unknown
  let ofPage: unknown
  const made = () => {
    const { language, locale, direction } = wanted
    const trees = [ofPage, fieldsOf(ofApp)[language], translation].map(fieldsOf)
    return { lang: locale, direction, texts: makeTexts(english, trees, locale, direction === 'rtl') }
  }
  const spoken = createValue<Spoken>(made())
  const show = () => spoken.set(made())
  return {
    get: spoken.get,
    subscribe: spoken.subscribe,
    async speak(tag) {
      const next = findLanguage([...(tag === undefined ? [] : [tag]), ...navigator.languages])
      const loaded = await loadTranslation(next.language)
      wanted = next
      translation = loaded
      show()
    },
    useTextsOfApp(textsByLanguage) {
      ofApp = textsByLanguage
      show()
    },
    useTextsOfPage(texts) {
      ofPage = texts
      show()
    },
  }
}

/** Of JSON that the integrator wrote; unknown texts are ignored where they are read. */
const fieldsOf = (value: unknown): TextTree =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as TextTree) : {}

/** Texts in the page's address. Those that are no JSON change nothing. */
export function textsInAddress(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json)
  } catch {
    console.warn('the parameter texts is no JSON')
    return undefined
  }
}
