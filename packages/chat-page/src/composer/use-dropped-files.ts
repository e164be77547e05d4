import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false

/**
 * Adds files dropped anywhere on a conversation to the message being written.
 * @returns a ref for the element whose parent is the conversation
 */
export function useDroppedFiles(add: (files: Iterable<File>) => void): RefObject<HTMLDivElement | null> {
  const composer = useRef<HTMLDivElement>(null)
  const latest = useRef(add)
  latest.current = add
  useEffect(() => {
    const place = composer.current?.parentElement
    if (!place) return undefined
    const show = (isOver: boolean) => place.toggleAttribute('data-takes-files', isOver)
    const over = (event: DragEvent) => {
      // An open thread handles its own drops.
      if (!hasFiles(event) || event.defaultPrevented) return show(false)
      event.preventDefault()
      return show(true)
    }
    const leave = ({ relatedTarget }: DragEvent) => {
      if (!(relatedTarget instanceof Node && place.contains(relatedTarget))) show(false)
    }
    const drop = (event: DragEvent) => {
      show(false)
      if (!hasFiles(event) || event.defaultPrevented) return
      event.preventDefault()
      latest.current(event.dataTransfer?.files ?? [])
    }
    place.addEventListener('dragover', over)
    place.addEventListener('dragleave', leave)
    place.addEventListener('drop', drop)
    return () => {
      place.removeEventListener('dragover', over)
      place.removeEventListener('dragleave', leave)
      place.removeEventListener('drop', drop)
    }
  }, [])
  return composer
}

/** Ignores files dropped elsewhere, which the browser would open in place of the page. */
export function refuseOtherDrops(): () => void {
  const refuse = (event: DragEvent) => {
    if (!hasFiles(event) || event.defaultPrevented) return
    event.preventDefault()
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'none'
  }
  window.addEventListener('dragover', refuse)
  window.addEventListener('drop', refuse)
  return () => {
    window.removeEventListener('dragover', refuse)
    window.removeEventListener('drop', refuse)
  }
}
