import type { Attachment, Room, Thread } from '@parley/client'
import { useState } from 'preact/hooks'
import { useChat } from '../state/chat.ts'
import type { Gallery } from './gallery.tsx'
import { isPicture } from './gallery-context.ts'

interface OpenGallery {
  Gallery: typeof Gallery
  pictures: readonly Attachment[]
  first: string
}

/** A conversation's gallery: a function that opens it, and its element while open. Its code loads on first use. */
export function useGallery(shown: Room | Thread) {
  const { attempt } = useChat()
  const [opened, setOpened] = useState<OpenGallery>()
  const open = (first: string) =>
    void attempt(async () => {
      const { Gallery } = await import('./gallery.tsx')
      const messages = shown.messages.get().filter(({ isDeleted }) => !isDeleted)
      const pictures = messages.flatMap(({ attachments = [] }) => attachments).filter(isPicture)
      setOpened({ Gallery, pictures, first })
    })
  const gallery = opened && (
    <opened.Gallery pictures={opened.pictures} first={opened.first} onClose={() => setOpened(undefined)} />
  )
  return { open, gallery }
}
