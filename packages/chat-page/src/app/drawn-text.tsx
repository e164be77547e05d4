import { directionOf } from '../texts/direction.ts'

interface DrawnTextProps {
  text: string
  class?: string
  /** It begins with words of the page, and so has its direction. */
  isOfPage?: boolean
}

/**
 * A text in one line, drawn by the style: a message's text stands once in the page, where searching in it finds the
 * message. `dir="auto"` does not see what a style draws.
 */
export function DrawnText({ text, class: more = '', isOfPage = false }: DrawnTextProps) {
  return <span class={`preview ${more}`} data-text={text} dir={isOfPage ? undefined : directionOf(text)} />
}
