import type { Room } from '@parley/client'
import { useState } from 'preact/hooks'
import { Icon } from '../app/icon.tsx'
import { useChat } from '../state/chat.ts'

/** Adds somebody to the room by their user ID. */
export function InviteForm({ room }: { room: Room }) {
  const { client, texts, attempt } = useChat()
  const [user, setUser] = useState('')
  const add = async () => {
    const invitee = user.trim()
    if (invitee === '') return
    if (await attempt(() => client.api.addMembers({ id: room.id, invitees: [invitee] }))) setUser('')
  }
  return (
    <form
      class="invite"
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <Icon name="userAdd" />
      <input
        type="text"
        enterkeyhint="done"
        aria-label={`${texts.invite}: ${texts.inviteHint}`}
        placeholder={texts.inviteHint}
        value={user}
        onInput={(event) => setUser(event.currentTarget.value)}
      />
      <button type="submit" class="button" disabled={user.trim() === ''}>
        {texts.add}
      </button>
    </form>
  )
}
