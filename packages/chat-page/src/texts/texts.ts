import { english } from './en.ts'
import type { Language } from './language.ts'
import { chinese } from './zh.ts'

/** Every sentence of the page. */
export type Texts = typeof english

export const textsOf = (lang: Language): Texts => (lang === 'zh' ? chinese : english)
