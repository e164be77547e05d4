import createMarkdown, { type Token } from 'markdown-it'
import { addressOf, type Page } from './pages.ts'

/** A heading and the text below it. */
export interface Section {
  /** The heading's anchor; empty for the page's title. */
  anchor: string
  heading: string
  text: string
}

export interface Rendered {
  html: string
  sections: Section[]
  headings: { anchor: string; text: string }[]
}

// The pages come from the repository, so their HTML is trusted.
const markdown = createMarkdown({ html: true, linkify: false })
const { fence } = markdown.renderer.rules
markdown.renderer.rules['fence'] = (...given) => (fence?.(...given) ?? '').replace('<pre>', '<pre tabindex="0">')
// Wide tables scroll in a focusable region, for the keyboard.
markdown.renderer.rules['table_open'] = (_tokens, _i, _options, env = {}) => {
  const number = Number(env['tables'] ?? 0) + 1
  env['tables'] = number
  return `<div class="table" role="region" aria-label="Table ${number}" tabindex="0"><table>\n`
}
markdown.renderer.rules['table_close'] = () => '</table></div>\n'

/** Renders a page as HTML, with GitHub's anchors and links that work on the site. */
export function render({ file, markdown: text }: Page): Rendered {
  const tokens = markdown.parse(text, {})
  const anchors = createAnchors()
  const sections: Section[] = []
  const headings: Rendered['headings'] = []
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = plainText(tokens[i + 1])
      const anchor = anchors(heading)
      token.attrSet('id', anchor)
      sections.push({ anchor: sections.length === 0 ? '' : anchor, heading, text: '' })
      if (token.tag === 'h2') headings.push({ anchor, text: heading })
    } else if (token.type === 'inline') {
      relink(token.children ?? [], file)
      const section = sections.at(-1)
      if (section && tokens[i - 1]?.type !== 'heading_open') section.text += ` ${plainText(token)}`
    } else if (token.type === 'html_block') token.content = relinkHtml(token.content, file)
  }
  return { html: markdown.renderer.render(tokens, markdown.options, {}), sections, headings }
}

/** A page's Markdown with links that work on the site. Code blocks are unchanged. */
export function relinked({ file, markdown: text }: Page): string {
  return text
    .split(/(^```[^]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? part : relinkMarkdown(part, file)))
    .join('')
}

function relinkMarkdown(text: string, file: string): string {
  const links = text.replaceAll(
    /(?<!!)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g,
    (whole, label: string, href: string) => {
      const address = addressOf(file, href, '.md')
      if (address === undefined) return label
      return address === href ? whole : `[${label}](${address})`
    },
  )
  return relinkHtml(links, file)
}

/** Rewrites links for the site, and removes those that lead to no page. */
function relink(tokens: Token[], file: string): void {
  const open: boolean[] = []
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const address = addressOf(file, String(token.attrGet('href')), '')
      open.push(address !== undefined)
      if (address === undefined) hide(token)
      else token.attrSet('href', address)
    } else if (token.type === 'link_close') {
      if (open.pop() === false) hide(token)
    } else if (token.type === 'image') token.attrSet('src', addressOf(file, String(token.attrGet('src')), '') ?? '')
  }
}

function hide(token: Token): void {
  token.type = 'text'
  token.content = ''
}

function relinkHtml(html: string, file: string): string {
  return html.replaceAll(/\b(src|href)="([^"]+)"/g, (_whole, name: string, href: string) => {
    return `${name}="${addressOf(file, href, '') ?? href}"`
  })
}

function plainText(token: Token | undefined): string {
  return (token?.children ?? [])
    .map(({ type, content }) =>
      type === 'softbreak' || type === 'hardbreak' ? ' ' : type === 'html_inline' ? '' : content,
    )
    .join('')
}

/** Creates anchors like GitHub's: lower case, no punctuation, `-` for spaces, and a number for repeats. */
function createAnchors(): (heading: string) => string {
  const seen = new Map<string, number>()
  return (heading) => {
    const plain = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    const count = seen.get(plain) ?? 0
    seen.set(plain, count + 1)
    return count === 0 ? plain : `${plain}-${count}`
  }
}
