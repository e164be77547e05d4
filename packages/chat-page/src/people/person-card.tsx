import type { Client } from '@parley/client'
import { useEffect, useState } from 'preact/hooks'
import { Avatar } from '../app/avatar.tsx'
import { Button } from '../app/button.tsx'
import { Confirm } from '../app/confirm.tsx'
import { Dialog } from '../app/dialog.tsx'
import { PresenceLine } from '../room/room-header.tsx'
import { otherOf } from '../rooms/room-name.ts'
import { type ShownPerson, useChat, useStore } from '../state/chat.ts'
import { nameOf, personIn } from '../state/people.ts'
import { block } from './block.ts'
import { ReportDialog } from './report-dialog.tsx'

interface PersonCardProps extends ShownPerson {
  onClose: () => void
}

/** A user's card: picture, name, presence, and the user's actions on them. */
export function PersonCard({ user, message, onClose }: PersonCardProps) {
  const { client, texts, people, attempt } = useChat()
  const person = personIn(useStore(people.known), user)
  const name = nameOf(person)
  const isMe = useStore(client.me)?._id === user
  const [isBlocked, setBlocked] = useBlocked(client, user)
  const [asked, setAsked] = useState<'block' | 'report'>()
  const change = async (toBlock: boolean) => {
    const act = () => (toBlock ? block(client, user) : client.api.unblockUser({ blockee: user }))
    if (await attempt(act)) setBlocked(toBlock)
  }
  const { description = '' } = person
  return (
    <Dialog title={texts.people.profile} onClose={onClose}>
      <div class="details-head">
        <Avatar id={user} name={name} url={person.avatarUrl} />
        <p class="details-name">
          <bdi>{name}</bdi>
          {person.isRobot === true && <span class="tag">{texts.robot}</span>}
        </p>
        <PresenceLine user={user} />
        {description !== '' && (
          <p class="soft" dir="auto">
            {description}
          </p>
        )}
      </div>
      {!isMe && (
        <div class="details-actions">
          <ChatTile user={user} onClose={onClose} />
          {isBlocked !== undefined && (
            <Button
              class={isBlocked ? 'tile' : 'tile danger'}
              icon={isBlocked ? 'undo' : 'block'}
              onClick={() => (isBlocked ? void change(false) : setAsked('block'))}
              label={isBlocked ? texts.people.unblock : texts.people.block}
            />
          )}
          {message && (
            <Button class="tile danger" icon="flag" onClick={() => setAsked('report')} label={texts.people.report} />
          )}
        </div>
      )}
      {asked === 'report' && message && <ReportDialog message={message} onClose={() => setAsked(undefined)} />}
      {asked === 'block' && (
        <Confirm
          question={texts.people.blockSure(name)}
          action={texts.people.block}
          onConfirm={() => void change(true)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Dialog>
  )
}

/** Opens the direct room with a person, or creates it if the app lets users start chats. */
function ChatTile({ user, onClose }: Pick<PersonCardProps, 'user' | 'onClose'>) {
  const { client, texts, attempt, openRoom, config } = useChat()
  const me = useStore(client.me)?._id
  const room = useStore(client.rooms).find((one) => otherOf(one, me) === user)
  const { mayStartChats } = useStore(config)
  if (!openRoom || (!room && !mayStartChats)) return null
  const open = () =>
    attempt(async () => {
      const { _id } = room ?? (await client.api.startChat({ members: [user] }))
      onClose()
      openRoom(_id)
    })
  return <Button class="tile" icon="bubble" onClick={() => void open()} label={texts.people.write} />
}

/** Whether the current user has blocked another user; undefined until known. */
function useBlocked(client: Client, user: string) {
  const [isBlocked, setBlocked] = useState<boolean>()
  useEffect(() => {
    const read = async () => {
      const blocks = await client.api.listBlocks({})
      setBlocked(blocks.some(({ blockee }) => blockee._id === user))
    }
    read().catch(() => setBlocked(false))
  }, [user])
  return [isBlocked, setBlocked] as const
}
