import { useState } from 'preact/hooks'
import { mayShow } from '../message/image-origins.ts'
import { useChat } from '../state/chat.ts'

interface AvatarProps {
  id: string
  name: string
  url?: string | undefined
  isSmall?: boolean
}

/** A picture from an allowed origin, else initials on a colour of the ID's own. */
export function Avatar({ id, name, url, isSmall = false }: AvatarProps) {
  const { imageOrigins } = useChat()
  const [isBroken, setBroken] = useState(false)
  const size = isSmall ? 'avatar small' : 'avatar'
  if (url && !isBroken && mayShow(url, imageOrigins)) {
    return <img class={size} src={url} alt="" loading="lazy" onError={() => setBroken(true)} />
  }
  return (
    // Drawn by the style: initials are no text of what they stand in.
    <span class={`${size} hue-${hueOf(id)}`} data-text={initialsOf(name)} aria-hidden="true" />
  )
}

const hues = 8

function hueOf(id: string): number {
  let sum = 7
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003
  return sum % hues
}

/** Two letters of two words, or one character of a name without spaces, as in Chinese. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const second = words.length > 1 ? firstOf(words.at(-1) ?? '') : ''
  return (firstOf(words[0] ?? '') + second).toUpperCase() || '?'
}

/** What a reader takes for one character: an emoji of several code points is one. */
function firstOf(word: string): string {
  for (const { segment } of new Intl.Segmenter().segment(word)) return segment
  return ''
}
