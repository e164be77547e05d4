import type { Translation } from './en.ts'

/** Languages loaded on demand. English is part of the page. */
const loaders = {
  ar: async () => (await import('./ar.ts')).arabic,
  de: async () => (await import('./de.ts')).german,
  es: async () => (await import('./es.ts')).spanish,
  fr: async () => (await import('./fr.ts')).french,
  ja: async () => (await import('./ja.ts')).japanese,
  'pt-BR': async () => (await import('./pt-br.ts')).brazilianPortuguese,
  zh: async () => (await import('./zh.ts')).chinese,
} satisfies Record<string, () => Promise<Translation>>

const others = Object.keys(loaders) as (keyof typeof loaders)[]

export type Language = 'en' | keyof typeof loaders

/** Locale for dates and numbers if the browser does not name a region. */
const usualLocale: Partial<Record<Language, string>> = { zh: 'zh-CN' }

export interface WantedLanguage {
  language: Language
  /** BCP 47 tag with the reader's region, for dates and numbers. */
  locale: string
  direction: 'ltr' | 'rtl'
}

/**
 * Finds the page's language: the first wanted one with a translation, otherwise English.
 * @param wanted BCP 47 tags in order of preference; `de_AT` is accepted too
 */
export function findLanguage(wanted: readonly string[]): WantedLanguage {
  const tags = wanted.map((tag) => tag.replaceAll('_', '-')).filter(isTag)
  const language = tags.map(languageOf).find((found) => found !== undefined) ?? 'en'
  const locale =
    tags.find((tag) => tag.includes('-') && languageOf(tag) === language) ?? usualLocale[language] ?? language
  return { language, locale, direction: locale.startsWith('ar') ? 'rtl' : 'ltr' }
}

/** Falls back to English if the language's file is missing, for instance after a server update. */
export async function loadTranslation(language: Language): Promise<Translation | undefined> {
  return language === 'en' ? undefined : loaders[language]().catch(() => undefined)
}

const primary = (tag: string) => tag.split('-', 1)[0]?.toLowerCase()

function languageOf(tag: string): Language | undefined {
  return primary(tag) === 'en' ? 'en' : others.find((language) => primary(language) === primary(tag))
}

function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}
