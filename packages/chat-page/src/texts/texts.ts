import { english, type Texts } from './en.ts'
import type { Language } from './language.ts'
import { chinese } from './zh.ts'

export const textsOf = (lang: Language): Texts => (lang === 'zh' ? chinese : english)
