import type { Invitation } from '@parley/client'
import { useEffect, useState } from 'preact/hooks'
import { useChat, useStore } from '../state/chat.ts'

/** Invitations that came while the page is open. */
export function Invitations({ onOpen }: { onOpen: (roomID: string) => void }) {
  const { client, texts, people, attempt } = useChat()
  const known = useStore(people.known)
  const [invitations, setInvitations] = useState<readonly Invitation[]>([])
  const [names, setNames] = useState<Readonly<Record<string, string>>>({})
  useEffect(
    () =>
      client.on('invitation', (invitation) => {
        setInvitations((before) => [...before.filter(({ room }) => room !== invitation.room), invitation])
        client.api
          .getRoom({ id: invitation.room })
          .then(({ _id, name }) => setNames((before) => ({ ...before, [_id]: name })))
          .catch(() => undefined)
      }),
    [client],
  )
  const answer = async (room: string, action: () => Promise<unknown>) => {
    if (await attempt(action)) setInvitations((before) => before.filter((invitation) => invitation.room !== room))
  }
  return (
    <div class="invitations" aria-live="polite">
      {invitations.map(({ room, inviter }) => (
        <div key={room} class="invitation">
          <p>{texts.invitation(known.get(inviter)?.nickname || inviter || texts.somebody, names[room] || room)}</p>
          <div class="dialog-actions">
            <button
              type="button"
              class="button"
              onClick={() => void answer(room, () => client.api.declineInvitation({ id: room }))}
            >
              {texts.decline}
            </button>
            <button
              type="button"
              class="button primary"
              onClick={() =>
                void answer(room, async () => {
                  await client.api.joinRoom({ id: room })
                  onOpen(room)
                })
              }
            >
              {texts.accept}
            </button>
          </div>
        </div>
      ))}
    </div>
  )
}
