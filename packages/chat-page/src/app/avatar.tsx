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

/** A picture of a person or room. */
export function Avatar({ id, name, url, isSmall = false }: AvatarProps) {
  return (
    <Slot of="avatar" about={{ id, name, url, isSmall }}>
      <Picture {...{ id, name, url, isSmall }} />
    </Slot>
  )
}

/** From an allowed origin, else initials on the colour of the person or room. */
function Picture({ id, name, url, isSmall }: AvatarProps) {
  const { imageOrigins } = useChat()
  const [isBroken, setBroken] = useState(false)
  const size = isSmall ? 'avatar small' : 'avatar'
  if (url && !isBroken && mayShow(url, imageOrigins)) {
    return <img class={size} src={url} alt="" loading="lazy" onError={() => setBroken(true)} />
  }
  return (
    // Drawn by the style: initials are not part of the surrounding text.
    <span class={`${size} ${hueOf(id)}`} data-text={initialsOf(name)} aria-hidden="true" />
  )
}

const hues = 8

/**
 * Class of a person's colour, the same wherever they appear. By a hash (FNV-1a) of the whole ID: those that differ in a
 * digit only look different, too.
 */
export function hueOf(id: string): string {
  let hash = 0x81_1c_9d_c5
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93)
  return `hue-${((hash ^ (hash >>> 15)) >>> 0) % hues}`
}

/** Two letters of two words, or one character of a name without spaces, as in Chinese. */
function initialsOf(name: string): string {
  const words = shownName(name).split(/\s+/)
  const second = words.length > 1 ? firstOf(words.at(-1) ?? '') : ''
  return (firstOf(words[0] ?? '') + second).toUpperCase() || '?'
}

/** The first character as a reader sees it: an emoji of several code points is one. */
function firstOf(word: string): string {
  // Firefox has none before 125.
  const { Segmenter } = Intl as { Segmenter?: typeof Intl.Segmenter }
  if (!Segmenter) return String.fromCodePoint(word.codePointAt(0) ?? 32).trim()
  for (const { segment } of new Segmenter().segment(word)) return segment
  return ''
}
