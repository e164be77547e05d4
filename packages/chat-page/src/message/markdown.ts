import createMarkdown, { type StateBlock, type StateInline, type Token } from 'markdown-it'
import { linkAt } from './links.ts'

/** An element of a formatted text. The page creates no others. */
export interface Formatted {
  tag: 'p' | 'strong' | 'em' | 's' | 'code' | 'pre' | 'ul' | 'ol' | 'li' | 'blockquote' | 'a'
  /** For `a`, whose text is the URL too. */
  href?: string
  /** For `ol`: the first number. */
  start?: number
  children: (Formatted | string)[]
}

const tags: ReadonlySet<string> = new Set(['p', 'strong', 'em', 's', 'ul', 'ol', 'li', 'blockquote'])

/** Only the supported subset: no HTML, pictures, headings or entities, and no links whose text hides their target. */
const markdown = createMarkdown('zero').enable([
  'newline',
  'escape',
  'backticks',
  'strikethrough',
  'emphasis',
  'fence',
  'blockquote',
  'list',
])
markdown.block.ruler.before('fence', 'deep', deepRule)
markdown.inline.ruler.before('emphasis', 'address', addressRule)
markdown.inline.ruler.before('emphasis', 'times', timesRule)

/** Parses the Markdown subset for messages (docs/reference/chat-page.md). */
export function parseMarkdown(text: string): (Formatted | string)[] {
  return toElements(markdown.parse(text, {}))
}

/** Must stay below the parser's `maxNesting`, at which it drops text. */
const deepest = 12

/** Leaves deeper nested quotes and lists unformatted. */
function deepRule(state: StateBlock, first: number, end: number, isSilent: boolean): boolean {
  if (state.level < deepest || isSilent) return false
  state.line = end
  state.push('paragraph_open', 'p', 1)
  const inline = state.push('inline', '', 0)
  inline.content = state.getLines(first, end, state.blkIndent, false).trim()
  inline.children = []
  state.push('paragraph_close', 'p', -1)
  return true
}

/** An asterisk between digits means multiplication. */
function timesRule(state: StateInline, isSilent: boolean): boolean {
  const { src, pos } = state
  if (!/^\d\*\d$/u.test(src.slice(pos - 1, pos + 2))) return false
  if (!isSilent) state.pending += '*'
  state.pos++
  return true
}

/** Keeps `_` and `*` inside URLs literal. Matches at the colon, since `http` is parsed as text. */
function addressRule(state: StateInline, isSilent: boolean): boolean {
  if (state.src.charAt(state.pos) !== ':') return false
  const scheme = /https?$/iu.exec(state.pending)?.[0] ?? ''
  const href = scheme === '' ? undefined : linkAt(state.src, state.pos - scheme.length)?.replace(/[*_~]+$/u, '')
  if (href === undefined) return false
  if (!isSilent) {
    state.pending = state.pending.slice(0, state.pending.length - scheme.length)
    state.push('address', 'a', 0).content = href
  }
  state.pos += href.length - scheme.length
  return true
}

function toElements(tokens: readonly Token[]): (Formatted | string)[] {
  const top: (Formatted | string)[] = []
  const open = [top]
  const add = (part: Formatted | string) => void open.at(-1)?.push(part)
  for (const token of tokens) {
    const { type, nesting, content, children } = token
    if (nesting === 1) {
      const element = elementOf(token)
      if (element) add(element)
      open.push(element?.children ?? open.at(-1) ?? top)
    } else if (nesting === -1) open.pop()
    else if (type === 'inline') for (const part of toElements(children ?? [])) add(part)
    else if (type === 'address') add({ tag: 'a', href: content, children: [content] })
    else if (type === 'code_inline') add({ tag: 'code', children: [content] })
    else if (type === 'fence') add({ tag: 'pre', children: [content.replace(/\n$/u, '')] })
    else if (type === 'softbreak' || type === 'hardbreak') add('\n')
    else if (content !== '') add(content)
  }
  return top
}

/** Skips the hidden paragraphs of tight lists. */
function elementOf(token: Token): Formatted | undefined {
  if (token.hidden || !tags.has(token.tag)) return undefined
  const start = Number(token.attrGet('start') ?? 1)
  return { tag: token.tag as Formatted['tag'], ...(start !== 1 && { start }), children: [] }
}
