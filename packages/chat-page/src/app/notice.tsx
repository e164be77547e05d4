import { useChat, useStore } from '../state/chat.ts'

/** A sentence that is shown for a moment. */
export function Notice() {
  const { notices } = useChat()
  const sentence = useStore(notices.current)
  return (
    <div class="notice" role="status">
      {sentence !== undefined && <p>{sentence}</p>}
    </div>
  )
}
