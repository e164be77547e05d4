/** One text per plural category (CLDR) that differs from `other`. `{count}` is the number. */
export type Plural = { readonly [C in Exclude<Intl.LDMLPluralRule, 'other'>]?: string } & { readonly other: string }

/** A language's texts. */
export interface TextTree {
  readonly [name: string]: string | Plural | TextTree
}

type Placeholders<S> = S extends `${string}{${infer Name}}${infer Rest}` ? [Name, ...Placeholders<Rest>] : []
type ValuesOf<N extends readonly unknown[]> = { [I in keyof N]: N[I] extends 'count' ? number : string | number }
type Sentence<S> = Placeholders<S> extends [] ? string : (...values: ValuesOf<Placeholders<S>>) => string
type IsPlural<T> = keyof T extends Intl.LDMLPluralRule ? true : false

/** The texts as the page uses them. Texts with placeholders are functions of their values, in the order of English. */
export type TextsOf<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? Sentence<T[K]>
    : IsPlural<T[K]> extends true
      ? T[K] extends { other: infer Other }
        ? (...values: ValuesOf<Placeholders<Other>>) => string
        : never
      : TextsOf<T[K]>
}

/** A translation has every English text, with the same placeholders in any order. */
export type TranslationOf<T> = {
  readonly [K in keyof T]: T[K] extends string ? string : IsPlural<T[K]> extends true ? Plural : TranslationOf<T[K]>
}

type Value = string | number

const categories: ReadonlySet<string> = new Set(['zero', 'one', 'two', 'few', 'many', 'other'])
/** Letters of right-to-left scripts, and bidirectional controls. */
const rightToLeft = /[\u0590-\u08FF\u200F\u202A-\u202E\u2066-\u2069\uFB1D-\uFDFF\uFE70-\uFEFC]/u

const latin = /\p{Script=Latin}/u

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

export const placeholdersOf = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')

export const isPlural = (text: unknown): text is Plural =>
  isObject(text) &&
  'other' in text &&
  Object.entries(text).every(([name, form]) => categories.has(name) && typeof form === 'string')

/**
 * Compiles the texts for the page.
 * @param english determines the order of values
 * @param translations in order of precedence
 * @param locale determines plural categories and number formats
 * @param isToLeft whether the language is written right to left
 */
export function makeTexts<T extends TextTree>(
  english: T,
  translations: readonly (TextTree | undefined)[],
  locale: string,
  isToLeft = false,
): TextsOf<T> {
  const plurals = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)

  /** Isolates a value of the other direction, so that it does not reorder its surroundings. */
  function show(value: Value): string {
    if (typeof value === 'number') return numbers.format(value)
    const isOther = isToLeft ? latin.test(value) : rightToLeft.test(value)
    return isOther && !value.startsWith('\u2068') ? `\u2068${value}\u2069` : value
  }

  function fill(text: string, names: readonly string[], values: readonly Value[]): string {
    return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[names.indexOf(name)]
      return value === undefined ? whole : show(value)
    })
  }

  function make(reference: string | Plural, text: string | Plural) {
    const names = placeholdersOf(isPlural(reference) ? reference.other : reference)
    if (names.length === 0) return isPlural(text) ? text.other : text
    return (...values: Value[]) => {
      if (!isPlural(text)) return fill(text, names, values)
      const count = Number(values[names.indexOf('count')])
      return fill(text[plurals.select(count)] ?? text.other, names, values)
    }
  }

  function makeAll(reference: TextTree, given: readonly (TextTree | undefined)[]): Record<string, unknown> {
    const made = Object.entries(reference).map(([name, english]) => {
      const found = given.flatMap((tree) => tree?.[name] ?? [])
      if (typeof english === 'string' || isPlural(english)) return [name, make(english, firstText(found) ?? english)]
      return [name, makeAll(english, found.filter(isTree))]
    })
    return Object.fromEntries(made) as Record<string, unknown>
  }
  return makeAll(english, translations) as TextsOf<T>
}

const firstText = (found: readonly TextTree[string][]): string | Plural | undefined =>
  found.find((text): text is string | Plural => typeof text === 'string' || isPlural(text))

const isTree = (text: TextTree[string]): text is TextTree => isObject(text) && !isPlural(text)
