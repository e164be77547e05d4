import type { Room, RoomInfo, RoomMessage, Sender } from '@parley/client'
import { useEffect, useState } from 'preact/hooks'
import { Avatar } from '../app/avatar.tsx'
import { Button, IconButton } from '../app/button.tsx'
import { Confirm } from '../app/confirm.tsx'
import { useChat } from '../state/chat.ts'
import { nameOf } from '../state/people.ts'

interface MemberListProps {
  room: Room
  info: RoomInfo
  me: string
}

const pageSize = 50

/** The paged member list, with roles. The owner can change roles; owner and managers can remove members. */
export function MemberList({ room, info, me }: MemberListProps) {
  const { client, texts, people, attempt } = useChat()
  const [members, setMembers] = useState<readonly Sender[]>(info.members)
  const read = (skip: number) =>
    attempt(async () => {
      const { data } = await room.members({ skip, limit: pageSize })
      people.learn(data)
      setMembers((before) => [...before.slice(0, skip), ...data])
    })
  useEffect(() => void read(0), [info.memberCount])
  const [removing, setRemoving] = useState<Sender>()
  const isOwner = info.owner === me
  const leads = isOwner || info.managers.includes(me)
  const setRole = (user: string, value: 'admin' | 'member') =>
    attempt(() => client.api.setMemberRole({ id: room.id, client: user, property: 'role', value }))
  const remove = async (user: string) => {
    const isDone = await attempt(() => client.api.removeMembers({ id: room.id, members: [user] }))
    if (isDone) setMembers((before) => before.filter(({ _id }) => _id !== user))
  }
  return (
    <>
      <ul class="plain-list">
        {members.map((member) => {
          const isAdmin = info.managers.includes(member._id)
          const role = info.owner === member._id ? texts.owner : isAdmin ? texts.admin : undefined
          const mayRemove = leads && member._id !== me && member._id !== info.owner
          return (
            <li key={member._id} class="member">
              <MemberName {...{ room, member }} isMe={member._id === me} />
              {role !== undefined && <span class="tag">{role}</span>}
              {member.isRobot === true && <span class="tag">{texts.robot}</span>}
              {isOwner && mayRemove && (
                <Button
                  class="link"
                  onClick={() => void setRole(member._id, isAdmin ? 'member' : 'admin')}
                  label={isAdmin ? texts.removeAdmin : texts.makeAdmin}
                />
              )}
              {mayRemove && (
                <IconButton
                  icon="close"
                  label={`${texts.removeMember}: ${nameOf(member)}`}
                  title={texts.removeMember}
                  onClick={() => setRemoving(member)}
                />
              )}
            </li>
          )
        })}
      </ul>
      {members.length < info.memberCount && (
        <Button class="button" onClick={() => void read(members.length)} label={texts.more} />
      )}
      {removing && (
        <Confirm
          question={texts.people.removeSure(nameOf(removing))}
          action={texts.removeMember}
          onConfirm={() => void remove(removing._id)}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  )
}

/** A member's name, which opens their card. */
function MemberName({ room, member, isMe }: { room: Room; member: Sender; isMe: boolean }) {
  const { texts, shownPerson } = useChat()
  return (
    <button
      type="button"
      class="plain-row member-name"
      onClick={() => shownPerson.set({ user: member._id, message: lastOf(room, member._id) })}
    >
      <Avatar id={member._id} name={nameOf(member)} url={member.avatarUrl} isSmall />
      <span class="member-name">
        <bdi>{nameOf(member)}</bdi>
        {isMe && <span class="soft"> ({texts.you})</span>}
      </span>
    </button>
  )
}

/** The member's latest loaded message, which the card can report. */
function lastOf(room: Room, user: string): RoomMessage | undefined {
  const isReportable = ({ sender, isDeleted, system }: RoomMessage) =>
    sender._id === user && !isDeleted && system !== true
  return room.messages.get().findLast(isReportable)
}
