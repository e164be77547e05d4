import { createContext, use } from 'react'

export const languages = { en: 'English', zh: '中文' } as const
export type Language = keyof typeof languages

/** A text, or a function that builds one. */
type Text = string | ((...about: never[]) => string)
type SameTexts<T> = {
  readonly [Key in keyof T]: T[Key] extends (...about: infer About) => string ? (...about: About) => string : string
}

/** A set of texts in every language. */
export type Texts<T> = Record<Language, SameTexts<T>>

/** Declares texts. The Chinese ones have the same keys and parameters as the English ones. */
export function texts<const T extends Record<string, Text>>(en: T, zh: SameTexts<NoInfer<T>>): Texts<T> {
  return { en: en as unknown as SameTexts<T>, zh }
}

const stored = 'parley-console-language'

export const LanguageContext = createContext<Language>('en')
export const useLanguage = (): Language => use(LanguageContext)

export function useTexts<T>(of: Texts<T>): SameTexts<T> {
  return of[useLanguage()]
}

/** The remembered language, or the browser's. */
export function firstLanguage(): Language {
  const known = localStorage.getItem(stored)
  if (known !== null && known in languages) return known as Language
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

export function storeLanguage(language: Language): void {
  localStorage.setItem(stored, language)
}
