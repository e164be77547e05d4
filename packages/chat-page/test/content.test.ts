import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { contentOf, safeUrl } from '../src/message/content.ts'
import { linksIn } from '../src/message/links.ts'
import { type Formatted, parseMarkdown } from '../src/message/markdown.ts'
import { plainText } from '../src/message/plain-text.ts'
import { textParts as partsOf } from '../src/message/text-parts.ts'

const textParts = (text: string, mentioned?: ReadonlyMap<string, string>) => partsOf(text, mentioned, linksIn)

describe('a shown message', () => {
  test('shows a text, or the text or fallback of an object, and never JSON', () => {
    assert.deepEqual(contentOf({ message: 'Hi', messageType: 'text' }), { kind: 'text', text: 'Hi' })
    assert.deepEqual(contentOf({ message: { text: 'Hi' }, messageType: 'card' }), { kind: 'text', text: 'Hi' })
    assert.deepEqual(contentOf({ message: { a: [1] }, messageType: 'x' }), { kind: 'unsupported' })
    assert.deepEqual(contentOf({ message: [1], messageType: 'text' }), { kind: 'unsupported' })
    const poll = { question: 'Tea?', fallback: 'A poll: Tea?' }
    assert.deepEqual(contentOf({ message: poll, messageType: 'poll' }), { kind: 'text', text: 'A poll: Tea?' })
    assert.deepEqual(contentOf({ messageType: 'recall' }), { kind: 'recalled' })
    assert.deepEqual(contentOf({ message: 'Hi', messageType: 'recall' }), { kind: 'text', text: 'Hi' })
  })

  test('shows pictures and files by their URL, and unsafe addresses as text', () => {
    const url = 'https://example.com/a%20b.pdf'
    assert.deepEqual(contentOf({ message: { url }, messageType: 'file' }), {
      kind: 'file',
      url,
      name: 'a b.pdf',
      text: '',
    })
    assert.equal(contentOf({ message: 'https://example.com/x', messageType: 'image' }).kind, 'image')
    assert.equal(contentOf({ message: { url: 'https://example.com/%E0%A4.png' }, messageType: 'x' }).kind, 'image')
    assert.equal(contentOf({ message: { url: 'javascript:alert(1)' }, messageType: 'image' }).kind, 'unsupported')
    for (const bad of ['javascript:alert(1)', 'data:text/html,x', '//example.com', 'https://', 7, undefined]) {
      assert.equal(safeUrl(bad), undefined, String(bad))
    }
  })

  test('ends links before the punctuation of the sentence', () => {
    const href = (text: string) => textParts(text).find((part) => part.href !== undefined)?.href
    assert.equal(href('see https://example.com/a.'), 'https://example.com/a')
    assert.equal(href('(https://example.com/a)'), 'https://example.com/a')
    assert.equal(href('https://example.com/a_(b), and'), 'https://example.com/a_(b)')
    assert.equal(href('看 https://example.com/中文。'), 'https://example.com/中文')
    assert.equal(href('javascript:alert(1) http://'), undefined)
    assert.equal(href('看https://example.com/a，然后'), 'https://example.com/a')
    assert.equal(href('「http://[2001:db8::1]:8080/x」。'), 'http://[2001:db8::1]:8080/x')
    assert.equal(href('https://good.example@evil.example'), undefined)
    assert.equal(href('https://good.example\u202Emoc.live'), 'https://good.example')
  })

  test('formats the supported Markdown, and keeps everything else as written', () => {
    const kinds = (text: string): string[] => {
      const of = (part: Formatted | string): string[] =>
        typeof part === 'string' ? [] : [part.tag, ...part.children.flatMap(of)]
      return parseMarkdown(text).flatMap(of)
    }
    assert.deepEqual(kinds('**a** *b* ~~c~~ `d`'), ['p', 'strong', 'em', 's', 'code'])
    assert.deepEqual(kinds('- a\n- b\n  1. c\n\n> d\n\n```\ne\n```'), [
      'ul',
      'li',
      'li',
      'ol',
      'li',
      'blockquote',
      'p',
      'pre',
    ])
    for (const text of [
      '2*3*4',
      '<b>a</b> &amp;',
      '# a',
      '[a](b)',
      '![a](b)',
      'a_b_c',
      '<img src=x onerror=alert(1)>',
    ]) {
      assert.deepEqual(parseMarkdown(text), [{ tag: 'p', children: [text] }])
    }
    for (const mark of ['> ', '- ', '1. ', '> - ']) {
      const deep = plainText(parseMarkdown(`${mark.repeat(200)}deep\n${mark}b\n\nafter`))
      for (const part of ['deep', 'b', 'after']) assert.ok(deep.includes(part), `${mark} ${part} ${deep.slice(-200)}`)
    }
    assert.deepEqual(parseMarkdown('**https://x.example/a_b_c**'), [
      {
        tag: 'p',
        children: [
          {
            tag: 'strong',
            children: [{ tag: 'a', href: 'https://x.example/a_b_c', children: ['https://x.example/a_b_c'] }],
          },
        ],
      },
    ])
  })

  test('loses only its Markdown marks in a preview', () => {
    const plain = (text: string) => plainText(parseMarkdown(text)).trimEnd()
    assert.equal(plain('**a** *b* ~~c~~ `d*`'), 'a b c d*')
    assert.equal(plain('- a\n- b\n\n> c\n\n```\nd\n```'), '• a\n• b\nc\nd')
    assert.equal(plain('3. a\n4. b'), '3. a\n4. b')
    for (const text of ['a_b_c', '2 * 3 * 4', '<b>a</b> &amp;', '# a', '[a](b)', 'https://x.example/a_b_c', '**a']) {
      assert.equal(plain(text), text)
    }
  })

  test('keeps every character of its text in one of its parts', () => {
    const mentioned = new Map([
      ['bob', 'Bob'],
      ['none', ''],
    ])
    for (const text of ['', '@Bob', 'a @Bob b https://x.example @Bob', '@Bobby @bob', 'http://[ @Bob']) {
      assert.equal(
        textParts(text, mentioned)
          .map((part) => part.text)
          .join(''),
        text,
      )
    }
    for (const text of ['@Bob', '@bob', '＠BOB']) {
      assert.deepEqual(textParts(`hi ${text}!`, mentioned)[1], { text, mentions: 'bob' })
    }
  })

  test('prefers the longer of two names in a mention', () => {
    const mentioned = new Map([
      ['al', 'Al'],
      ['alice', 'Alice'],
    ])
    assert.deepEqual(textParts('@Alice @Al', mentioned), [
      { text: '@Alice', mentions: 'alice' },
      { text: ' ' },
      { text: '@Al', mentions: 'al' },
    ])
  })

  test('splits the longest texts quickly, even ones crafted to be slow', () => {
    const most = 64 * 1024
    const many = new Map(Array.from({ length: 1_000 }, (_, i) => [`u${i}`, `member ${i}`]))
    for (const end of ')]}!?') assert.equal(textParts(`http://${'.'.repeat(most)}x${end}`).length, 1)
    assert.equal(textParts('http://a.'.repeat(most / 9)).length, Math.floor(most / 9) + 1)
    for (const part of ['http://a/([{', "http://a.b/('{", 'http://a-']) textParts(part.repeat(most / part.length))
    for (const part of ['**', '***a_', '`a', '\n- ', '* _', '> ', '[', 'http://a/('])
      parseMarkdown(part.repeat(most / part.length))
    assert.equal(textParts('@al'.repeat(most / 3), new Map([['u', 'al']])).length, Math.floor(most / 3))
    assert.equal(textParts('@member '.repeat(most / 8), many).length, 1)
    assert.equal(textParts('http://a '.repeat(most / 9), many).length, 2 * Math.floor(most / 9))
  })
})
