import { useState } from 'preact/hooks'
import { Button } from '../app/button.tsx'
import { Dialog } from '../app/dialog.tsx'
import { useChat, useStore } from '../state/chat.ts'
import type { Person } from '../state/people.ts'
import { PersonPicker } from './person-picker.tsx'

/** Starts a chat: a direct room with one person, or a group with several. */
export function NewChatSheet({ onClose }: { onClose: () => void }) {
  const { client, texts, attempt, openRoom } = useChat()
  const me = useStore(client.me)?._id ?? ''
  const [chosen, setChosen] = useState<readonly Person[]>([])
  const [name, setName] = useState('')
  const start = () =>
    attempt(async () => {
      const members = chosen.map(({ _id }) => _id)
      const isGroup = members.length > 1 && name.trim() !== ''
      const { _id } = await client.api.startChat({ members, ...(isGroup && { name: name.trim() }) })
      onClose()
      openRoom?.(_id)
    })
  return (
    <Dialog title={texts.people.newChat} isSheet onClose={onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (chosen.length > 0) void start()
        }}
      >
        <PersonPicker chosen={chosen} onChange={setChosen} without={new Set([me])} />
        {chosen.length > 1 && (
          <input
            type="text"
            enterkeyhint="go"
            maxLength={256}
            aria-label={texts.people.groupName}
            placeholder={texts.people.groupName}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
        <div class="dialog-actions">
          <Button type="submit" class="button primary" disabled={chosen.length === 0} label={texts.people.start} />
        </div>
      </form>
    </Dialog>
  )
}
