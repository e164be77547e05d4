import { useState } from 'preact/hooks'
import { mayShow } from '../message/image-origins.ts'
import { useChat } from '../state/chat.ts'
import { shownName } from './shown-name.ts'
import { Slot } from './slot.tsx'

interface AvatarProps {
  id: string
  name: string
  url?: string | undefined
  isSmall?: boolean
}

/** The picture of a person or room. */
export function Avatar({ id, name, url, isSmall = false }: AvatarProps) {
  return (
    <Slot of="avatar" about={{ id, name, url, isSmall }}>
      <Picture {...{ id, name, url, isSmall }} />
    </Slot>
  )
}

/** Shows the picture if its origin is allowed, otherwise initials on the person's or room's colour. */
function Picture({ id, name, url, isSmall }: AvatarProps) {
  const { imageOrigins } = useChat()
  const [isBroken, setBroken] = useState(false)
  const size = isSmall ? 'avatar small' : 'avatar'
  if (url && !isBroken && mayShow(url, imageOrigins)) {
    return <img class={size} src={url} alt="" loading="lazy" onError={() => setBroken(true)} />
  }
  return (
    // Drawn by CSS, since initials are not part of the surrounding text.
    <span class={`${size} ${hueOf(id)}`} data-text={initialsOf(name)} aria-hidden="true" />
  )
}

const hues = 8

/** CSS class of a person's colour, by an FNV-1a hash, so that IDs which differ in one digit get different colours. */
export function hueOf(id: string): string {
  let hash = 0x81_1c_9d_c5
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93)
  return `hue-${((hash ^ (hash >>> 15)) >>> 0) % hues}`
}

/** The initials of the first and last word, or one character for a single word, as in Chinese. */
function initialsOf(name: string): string {
  const words = shownName(name).split(/\s+/)
  const second = words.length > 1 ? firstOf(words.at(-1) ?? '') : ''
  return (firstOf(words[0] ?? '') + second).toUpperCase() || '?'
}

/** The first character as a reader sees it: an emoji of several code points is one. */
function firstOf(word: string): string {
  // Missing in Firefox before 125.
  const { Segmenter } = Intl as { Segmenter?: typeof Intl.Segmenter }
  if (!Segmenter) return String.fromCodePoint(word.codePointAt(0) ?? 32).trim()
  for (const { segment } of new Segmenter().segment(word)) return segment
  return ''
}
