import { useEffect, useMemo } from 'preact/hooks'
import { useChat, useStore } from '../state/chat.ts'
import type { WritingAbout } from './writing-about.tsx'

/** The message being edited or replied to. An edit suspends a pending reply, and ends with the view. */
export function useWritingAbout(id: string) {
  const { drafts } = useChat()
  const { reply, edit } = useStore(drafts.of(id))
  // Returns the same object until the message changes.
  const about = useMemo<WritingAbout | undefined>(() => {
    if (edit) return { kind: 'edit', message: edit }
    return reply && { kind: 'reply', message: reply }
  }, [reply, edit])
  useEffect(() => () => drafts.change(id, { edit: undefined }), [drafts, id])
  const setAbout = ({ kind, message }: WritingAbout) =>
    drafts.change(id, kind === 'edit' ? { edit: message } : { edit: undefined, reply: message })
  const done = () => drafts.change(id, edit ? { edit: undefined } : { reply: undefined })
  return { about, setAbout, done }
}
