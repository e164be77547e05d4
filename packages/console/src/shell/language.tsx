import { createContext, type ReactNode, use, useEffect, useState } from 'react'
import { firstLanguage, type Language, LanguageContext, storeLanguage } from '../texts/texts.ts'

const SetLanguage = createContext<(language: Language) => void>(() => {})
export const useSetLanguage = (): ((language: Language) => void) => use(SetLanguage)

/** Provides the language, which the browser remembers. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const set = (next: Language) => {
    storeLanguage(next)
    setLanguage(next)
  }
  return (
    <SetLanguage value={set}>
      <LanguageContext value={language}>{children}</LanguageContext>
    </SetLanguage>
  )
}
