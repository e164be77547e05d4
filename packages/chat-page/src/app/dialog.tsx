import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useChat } from '../state/chat.ts'
import { Icon } from './icon.tsx'
import { Notice } from './notice.tsx'

interface DialogProps {
  title: string
  /** A sheet stands at the side; without, it stands in the middle. */
  isSheet?: boolean
  onClose: () => void
  children: ComponentChildren
}

/** The browser's own dialog: it keeps the focus, ends with Escape, and gives the focus back. */
export function Dialog({ title, isSheet = false, onClose, children }: DialogProps) {
  const { texts } = useChat()
  const element = useRef<HTMLDialogElement>(null)
  const isShown = useRef(true)
  useEffect(() => {
    const dialog = element.current
    isShown.current = true
    dialog?.showModal()
    return () => {
      isShown.current = false
      // Taken out of the page while it is open, it would keep the focus.
      dialog?.close()
    }
  }, [])
  // The event comes later: React's StrictMode has it open again by then.
  const closed = () => {
    if (isShown.current && element.current?.open !== true) onClose()
  }
  return (
    <dialog
      ref={element}
      class={isSheet ? 'sheet' : 'box'}
      aria-label={title}
      onClose={closed}
      onClick={(event) => {
        if (event.target === element.current) element.current?.close()
      }}
    >
      <div class="dialog-content">
        <header class="dialog-head">
          <h2>{title}</h2>
          <button type="button" class="icon-button" aria-label={texts.close} onClick={() => element.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
      <Notice />
    </dialog>
  )
}
