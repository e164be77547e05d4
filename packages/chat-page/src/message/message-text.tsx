import { type ComponentChildren, createElement, Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../app/button.tsx'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf, personIn } from '../state/people.ts'
import { type FindLinks, useFormatted, useLinks } from './formatted.ts'
import type { Formatted } from './markdown.ts'
import { textParts } from './text-parts.ts'

/** Longer texts, up to 64 KiB, are collapsed until clicked. */
const mostShown = 4_000

interface MessageTextProps {
  text: string
  mentions?: readonly string[] | undefined
  /** Overrides the app's setting for literal texts. */
  isMarkdown?: boolean
}

/** A message's text with links, mentions and, unless the app's texts are literal, Markdown. */
export function MessageText({ text, mentions = [], isMarkdown = false }: MessageTextProps) {
  const { texts, people, config } = useChat()
  const known = useStore(people.known)
  const isLiteral = useStore(config).literalText && !isMarkdown
  const [isWhole, setWhole] = useState(false)
  const isCut = text.length > mostShown && !isWhole
  const names = new Map(mentions.flatMap((id) => (known.has(id) ? [[id, nameOf(personIn(known, id))]] : [])))
  const shown = isCut ? `${text.slice(0, mostShown)}…` : text
  const formatted = useFormatted(shown, isLiteral)
  return (
    <>
      {formatted ? <Rich parts={formatted} names={names} /> : <Plain text={shown} names={names} />}
      {isCut && <Button class="link" onClick={() => setWhole(true)} label={texts.showAll} />}
    </>
  )
}

type Names = ReadonlyMap<string, string>

function Plain({ text, names }: { text: string; names: Names }) {
  const linksIn = useLinks(text)
  const isEmoji = text.length <= 24 && /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200D|\uFE0F)+$/u.test(text)
  return (
    <span class={isEmoji ? 'text emoji' : 'text'}>
      <WithMentions text={text} names={names} linksIn={linksIn} />
    </span>
  )
}

function Rich({ parts, names }: { parts: readonly (Formatted | string)[]; names: Names }) {
  const [only, ...others] = parts
  if (others.length === 0 && typeof only === 'object' && only.tag === 'p') {
    return createElement('span', { class: 'text' }, ...only.children.map((part) => toElement(part, names)))
  }
  return createElement('div', { class: 'text rich' }, ...parts.map((part) => toElement(part, names)))
}

const blocks: ReadonlySet<string> = new Set(['li', 'blockquote'])

function toElement(part: Formatted | string, names: Names): ComponentChildren {
  if (typeof part === 'string') return <WithMentions text={part} names={names} />
  const { tag, href, start, children } = part
  if (href !== undefined) return <Link href={href} />
  const isCode = tag === 'code' || tag === 'pre'
  const dir = isCode ? 'ltr' : blocks.has(tag) ? 'auto' : undefined
  return createElement(
    tag,
    { dir, start },
    ...(isCode ? children.map(String) : children.map((one) => toElement(one, names))),
  )
}

interface WithMentionsProps {
  text: string
  names: Names
  /** Omitted for formatted texts, whose links are already elements. */
  linksIn?: FindLinks | undefined
}

function WithMentions({ text, names, linksIn }: WithMentionsProps) {
  const elements = textParts(text, names, linksIn).map((part) => {
    if (part.href !== undefined) return <Link href={part.href} />
    return part.mentions === undefined ? part.text : <span class="mention">{part.text}</span>
  })
  // Passed as arguments, since the elements have no keys.
  return createElement(Fragment, null, ...elements)
}

const Link = ({ href }: { href: string }) => (
  <a href={href} target="_blank" rel="noopener noreferrer nofollow">
    {href}
  </a>
)
