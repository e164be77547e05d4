import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useChat } from '../state/chat.ts'
import { IconButton } from './button.tsx'
import { Notice } from './notice.tsx'

interface DialogProps {
  title: string
  /** Shown at the side instead of the middle. */
  isSheet?: boolean
  onClose: () => void
  children: ComponentChildren
}

/** A native dialog, which traps the focus, closes on Escape, and restores the focus. */
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
      // A dialog removed while open would keep the focus.
      dialog?.close()
    }
  }, [])
  // The event fires late: by then, React's StrictMode may have reopened the dialog.
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
          <IconButton icon="close" label={texts.close} onClick={() => element.current?.close()} />
        </header>
        {children}
      </div>
      <Notice />
    </dialog>
  )
}
