import type { ParleyError, Room, RoomMessage } from '@parley/client'
import { useEffect, useState } from 'preact/hooks'
import { Avatar } from '../app/avatar.tsx'
import { Dialog } from '../app/dialog.tsx'
import { useChat, useStore } from '../state/chat.ts'
import { groupBy } from '../state/group-by.ts'
import { nameOf, personIn } from '../state/people.ts'

interface MessageInfoSheetProps {
  room: Room
  message: RoomMessage
  onClose: () => void
}

/** Names the users who reacted to a message and, for the user's own message, its readers. */
export function MessageInfoSheet({ room, message, onClose }: MessageInfoSheetProps) {
  const { texts } = useChat()
  useStore(room.delivered)
  const readers = useReaders(message)
  const reached = room.deliveredTo(message._id).filter((user) => readers && !readers.includes(user))
  return (
    <Dialog title={texts.people.info} isSheet onClose={onClose}>
      {groupBy(message.reactions, ({ reaction }) => reaction).map(([reaction, given]) => (
        <Names key={reaction} {...{ room }} title={reaction} users={given.map(({ client }) => client)} />
      ))}
      {readers && <Names {...{ room }} title={texts.read} users={readers} />}
      {reached.length > 0 && <Names {...{ room }} title={texts.delivered} users={reached} />}
    </Dialog>
  )
}

/** The server's list of readers of the user's own message. Undefined in threads and in rooms that are too large. */
function useReaders({ _id, isMine, threadOf }: RoomMessage): readonly string[] | undefined {
  const { client, people, attempt } = useChat()
  const [readers, setReaders] = useState<readonly string[]>()
  useEffect(() => {
    if (!isMine || threadOf !== undefined) return
    const read = async () => {
      try {
        const { data } = await client.api.listReaders({ id: _id })
        people.learn(data)
        setReaders(data.map(({ _id }) => _id))
      } catch (error) {
        if ((error as ParleyError).code !== 'RESULT_TOO_LARGE') throw error
      }
    }
    void attempt(read)
  }, [_id])
  return readers
}

function Names({ room, title, users }: { room: Room; title: string; users: readonly string[] }) {
  const { client, texts, people, shownPerson } = useChat()
  const known = useStore(people.known)
  const me = useStore(client.me)?._id
  useEffect(() => {
    for (const user of users) people.find(room.id, user)
  }, [users.length])
  return (
    <section>
      <h3>
        {title} <span class="soft">{users.length}</span>
      </h3>
      {users.length === 0 && <p class="soft">{texts.people.nobodyYet}</p>}
      <ul class="plain-list">
        {users.map((user) => {
          const person = personIn(known, user)
          return (
            <li key={user}>
              <button type="button" class="plain-row" onClick={() => shownPerson.set({ user })}>
                <Avatar id={user} name={nameOf(person)} url={person.avatarUrl} isSmall />
                <bdi>{user === me ? texts.you : nameOf(person)}</bdi>
              </button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
