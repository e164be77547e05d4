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
  /** Changes the language. @param tag BCP 47 tag; without it, the browser's languages are used */
  speak: (tag: string | undefined) => Promise<void>
  /** Sets the app's texts by language: `{"en": {"chats": "Inbox"}}` (docs/reference/chat-page.md#texts). */
  setTextsOfApp: (textsByLanguage: unknown) => void
  /** Sets the texts from the URL or host page, in the page's language. They override the app's. */
  setTextsOfPage: (texts: unknown) => void
}

/** Starts in English. */
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
    setTextsOfApp(textsByLanguage) {
      ofApp = textsByLanguage
      show()
    },
    setTextsOfPage(texts) {
      ofPage = texts
      show()
    },
  }
}

/** The fields of the integrator's JSON. Unknown texts are ignored later. */
const fieldsOf = (value: unknown): TextTree =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as TextTree) : {}

/** Parses the texts from the URL. Ignores invalid JSON. */
export function textsInAddress(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json)
  } catch {
    console.warn('the parameter texts is not valid JSON')
    return undefined
  }
}
