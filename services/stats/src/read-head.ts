import { truncate } from '@parley/chat/messages/reading/message-text'
import { defined } from '@parley/contracts/defined'
import type { LinkCard } from '@parley/db/documents'
import { Parser } from 'htmlparser2'

const max = { title: 200, description: 500, siteName: 100, image: 2_048 }
const read: ReadonlySet<string> = new Set(['og:title', 'og:description', 'og:site_name', 'og:image', 'description'])

/**
 * The card of an HTML page, from its Open Graph tags (ogp.me) or its title and description. Undefined without a title.
 */
export function readHead(html: Buffer, contentType: string, url: URL): LinkCard | undefined {
  const tags = new Map<string, string>()
  let title: string | undefined
  let isInTitle = false
  let isDone = false
  const parser = new Parser({
    onopentag(name, { property, name: named, content }) {
      if (isDone) return
      if (name === 'title') isInTitle = title === undefined
      const tag = property ?? named ?? ''
      if (name === 'meta' && content !== undefined && read.has(tag) && !tags.has(tag)) tags.set(tag, content)
      isDone = name === 'body'
    },
    ontext(text) {
      if (isInTitle) title = `${title ?? ''}${text}`
    },
    onclosetag(name) {
      if (name === 'title') isInTitle = false
    },
  })
  parser.end(decode(html, contentType))
  const shownTitle = clean(tags.get('og:title'), max.title) ?? clean(title, max.title)
  if (shownTitle === undefined) return undefined
  const description = clean(tags.get('og:description') ?? tags.get('description'), max.description)
  const siteName = clean(tags.get('og:site_name'), max.siteName)
  const image = pictureUrl(tags.get('og:image'), url)
  return {
    title: shownTitle,
    ...defined({ description, siteName, image }),
  }
}

/** Decodes by the header, else by the page's `meta` (HTML, 13.2.3.2), else as UTF-8. */
function decode(html: Buffer, contentType: string): string {
  const charset = /charset\s*=\s*["']?\s*([\w-]+)/i
  const named = (charset.exec(contentType) ?? charset.exec(html.toString('latin1', 0, 1_024)))?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(named).decode(html)
  } catch (error) {
    // An unknown charset.
    if (error instanceof RangeError) return new TextDecoder().decode(html)
    throw error
  }
}

/** Makes one line without control and bidirectional characters (UAX 9, section 2). */
function clean(text: string | undefined, longest: number): string | undefined {
  const line = (text ?? '')
    .slice(0, 4 * longest)
    .replaceAll(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '')
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
  return line === '' ? undefined : truncate(line, longest)
}

function pictureUrl(written: string | undefined, page: URL): string | undefined {
  if (written === undefined || !URL.canParse(written, page.href)) return undefined
  const { href, protocol } = new URL(written, page.href)
  return /^https?:$/.test(protocol) && href.length <= max.image ? href : undefined
}
