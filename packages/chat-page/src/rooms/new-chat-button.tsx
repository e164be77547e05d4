import { useState } from 'preact/hooks'
import { Button, IconButton } from '../app/button.tsx'
import { onDemand } from '../app/on-demand.tsx'
import { useChat, useStore } from '../state/chat.ts'

const NewChatSheet = onDemand(async () => (await import('../people/new-chat-sheet.tsx')).NewChatSheet)

/** Starts a chat, if the app lets users: an icon button, or a labelled one in an empty list. */
export function NewChatButton({ isInWords = false }: { isInWords?: boolean }) {
  const { texts, config, openRoom } = useChat()
  const { mayStartChats } = useStore(config)
  const [isOpen, setOpen] = useState(false)
  const label = texts.people.newChat
  const open = () => setOpen(true)
  if (!mayStartChats || !openRoom) return null
  return (
    <>
      {isInWords ? (
        <Button class="button primary" onClick={open} label={texts.startChat} />
      ) : (
        <IconButton icon="plus" label={label} title={label} onClick={open} />
      )}
      {isOpen && <NewChatSheet onClose={() => setOpen(false)} />}
    </>
  )
}
