import { useState } from 'preact/hooks'
import { Button } from '../app/button.tsx'
import { isolated, shownName } from '../app/shown-name.ts'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf, personIn } from '../state/people.ts'

/** Invitations before "Show more", to leave space for the room list. */
const mostShown = 2

/** The user's open invitations, to accept or to decline. */
export function Invitations({ onOpen }: { onOpen: (roomID: string) => void }) {
  const { client, texts, people, attempt } = useChat()
  const known = useStore(people.known)
  const invitations = useStore(client.invitations)
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? invitations : invitations.slice(0, mostShown)
  const sentence = (inviter: string, room: string) => {
    const who = inviter === '' ? texts.somebody : nameOf(personIn(known, inviter))
    return texts.invitation(isolated(who), isolated(room))
  }
  const accept = (room: string) =>
    attempt(async () => {
      await client.acceptInvitation(room)
      onOpen(room)
    })
  return (
    <section class="invitations" aria-label={texts.invitations} aria-live="polite">
      {shown.map(({ _id, room, roomName, inviter }) => (
        <div key={_id} class="invitation">
          <p>{sentence(inviter, shownName(roomName ?? '') || shownName(room))}</p>
          <div class="dialog-actions">
            <Button
              class="button"
              onClick={() => void attempt(() => client.declineInvitation(room))}
              label={texts.decline}
            />
            <Button class="button primary" onClick={() => void accept(room)} label={texts.accept} />
          </div>
        </div>
      ))}
      {shown.length < invitations.length && (
        <Button
          class="link"
          onClick={() => setShowsAll(true)}
          label={texts.moreInvitations(invitations.length - shown.length)}
        />
      )}
    </section>
  )
}
