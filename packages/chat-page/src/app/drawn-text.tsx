import { directionOf } from '../texts/direction.ts'

interface DrawnTextProps {
  text: string
  class?: string
  /** Whether it begins with the page's own words, and so follows the page's direction. */
  isOfPage?: boolean
}

/** A single line drawn by CSS, so that find-in-page matches only the message. `dir="auto"` ignores such text. */
export function DrawnText({ text, class: more = '', isOfPage = false }: DrawnTextProps) {
  return <span class={`preview ${more}`} data-text={text} dir={isOfPage ? undefined : directionOf(text)} />
}
