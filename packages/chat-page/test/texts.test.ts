import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { directionOf } from '../src/texts/direction.ts'
import { english } from '../src/texts/en.ts'
import { findLanguage, type Language, loadTranslation } from '../src/texts/language.ts'
import { isPlural, makeTexts, placeholdersOf, type TextTree } from '../src/texts/sentence.ts'

const languages: readonly Language[] = ['en', 'zh', 'ar', 'de', 'es', 'fr', 'ja', 'pt-BR']

/** Every text by its path, with one form, or one per plural category. */
function formsOf(tree: TextTree, path = ''): Map<string, readonly string[]> {
  const forms = new Map<string, readonly string[]>()
  for (const [name, text] of Object.entries(tree)) {
    if (typeof text === 'string') forms.set(path + name, [text])
    else if (isPlural(text)) forms.set(path + name, Object.values(text))
    else for (const [inner, one] of formsOf(text, `${path + name}.`)) forms.set(inner, one)
  }
  return forms
}

describe('the texts of the chat page', () => {
  const expected = formsOf(english)

  test.for(languages)('%s has every text, none of them empty, with every placeholder', async (language) => {
    const given = formsOf((await loadTranslation(language)) ?? english)
    assert.deepEqual([...given.keys()].toSorted(), [...expected.keys()].toSorted())
    for (const [name, forms] of given) {
      const wanted = placeholdersOf(expected.get(name)?.at(-1) ?? '')
      assert.equal(new Set(wanted).size, wanted.length, `${name}: a placeholder is repeated`)
      for (const [at, form] of forms.entries()) {
        assert.notEqual(form.trim(), '', name)
        // A form for a single number can spell it out: "one", "two".
        const found = placeholdersOf(form).toSorted()
        const isOfOneNumber = at < forms.length - 1
        const needed = isOfOneNumber ? wanted.filter((one) => one !== 'count') : wanted
        assert.deepEqual(
          found.filter((one) => one !== 'count' || !isOfOneNumber),
          needed.toSorted(),
          `${name}: ${form}`,
        )
      }
    }
  })

  test.for(languages)('%s has a form for every plural category of its numbers', async (language) => {
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    const given = formsOf((await loadTranslation(language)) ?? english)
    const texts = makeTexts(english, [await loadTranslation(language)], language)
    for (const [name, forms] of given) {
      if (forms.length > 1) assert.equal(forms.length, categories.length, name)
    }
    for (const count of [0, 1, 2, 5, 11, 100]) {
      const shown = new Intl.NumberFormat(language).format(count)
      if (count > 2) assert.ok(texts.replies(count).includes(shown), texts.replies(count))
      assert.doesNotMatch(texts.replies(count), /[{}]/)
    }
  })

  test("the language is the reader's first supported one, with the reader's region", () => {
    const found = (...wanted: string[]) => {
      const { language, locale, direction } = findLanguage(wanted)
      return [language, locale, direction]
    }
    assert.deepEqual(found(), ['en', 'en', 'ltr'])
    assert.deepEqual(found('zh', 'en-GB'), ['zh', 'zh-CN', 'ltr'])
    assert.deepEqual(found('pt', 'de-AT'), ['pt-BR', 'pt-BR', 'ltr'])
    assert.deepEqual(found('de_AT'), ['de', 'de-AT', 'ltr'])
    assert.deepEqual(found('nl', 'ar-EG'), ['ar', 'ar-EG', 'rtl'])
    assert.deepEqual(found('en', 'zh-TW', 'en-GB'), ['en', 'en-GB', 'ltr'])
    assert.deepEqual(found('xx', 'not a tag', 'zh-TW'), ['zh', 'zh-TW', 'ltr'])
  })

  test('integrators can override single texts, plurals and errors; other values change nothing', () => {
    const own = {
      chats: 'Inbox',
      members: { one: 'just you', other: '{count} people' },
      replies: '{count} ↩',
      online: 7,
      typingOne: { one: 1 },
      errors: { ROOM_FROZEN: 'Closed until Monday.', other: null },
      system: 'no',
      unknown: 'x',
    } as unknown as TextTree
    const texts = makeTexts(english, [undefined, own], 'en')
    assert.deepEqual([texts.chats, texts.rooms, texts.online], ['Inbox', 'Rooms', 'Online'])
    assert.deepEqual([texts.members(1), texts.members(1234)], ['just you', '1,234 people'])
    assert.equal(texts.replies(3), '3 ↩')
    assert.equal(texts.typingOne('Ann'), 'Ann is typing…')
    assert.equal(texts.errors.ROOM_FROZEN, 'Closed until Monday.')
    assert.equal(texts.errors.other, english.errors.other)
    assert.equal(texts.system.joinRoom('Ann'), 'Ann joined')
  })

  test('a name in the other direction does not reorder its surroundings', () => {
    const texts = makeTexts(english, [], 'en')
    assert.equal(texts.invitation('ليلى', 'Club'), '\u2068ليلى\u2069 invited you to Club')
    const toLeft = makeTexts(english, [], 'ar', true)
    assert.equal(toLeft.typingOne('Ann'), '\u2068Ann\u2069 is typing…')
  })

  test('a text takes the direction of its first letter', () => {
    const found = ['Hello مرحبا', '12: مرحبا Hello', 'שלום', '👍 3', ''].map(directionOf)
    assert.deepEqual(found, ['ltr', 'rtl', 'rtl', undefined, undefined])
  })
})
