import { ActionIcon, Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { useChanged } from '../../components/act.tsx'
import { Confirm, say, sayFailure, Warning } from '../../components/confirm.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { visible } from '../../components/shown.tsx'
import { useFailureText } from '../../components/states.tsx'
import { type Operation, useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import { BanInRoom } from './ban-in-room.tsx'
import type { Member } from './member.ts'
import type { AdminRoom } from './room-actions.tsx'
import { roomsTexts } from './texts.ts'

interface Choice {
  operation: Operation
  icon: IconName
  text: string
  isDangerous?: true
  choose: () => void
}

type Dialog = 'own' | 'ban' | 'remove'

interface Props {
  room: AdminRoom
  member: Member
}

/** A member's actions: change the role, ban in the room, or remove from it. */
export function MemberMenu({ room, member }: Props) {
  const common = useTexts(commonTexts)
  const { may } = useApp()
  const [open, setOpen] = useState<Dialog>()
  const choices = useChoices({ room, member }, setOpen).filter(({ operation }) => may(operation))
  if (choices.length === 0) return null
  const shared = { room, member, onClose: () => setOpen(undefined) }
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`${common.actions}: ${visible(member.nickname || member._id)}`}
          >
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {choices.map(({ text, icon, isDangerous, choose }) => (
            <Menu.Item
              key={text}
              leftSection={<Icon name={icon} size={16} />}
              {...(isDangerous && { color: 'red' })}
              onClick={choose}
            >
              {text}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {open === 'own' && <MakeOwner {...shared} />}
      {open === 'ban' && <BanHere {...shared} />}
      {open === 'remove' && <TakeOut {...shared} />}
    </>
  )
}

function useChoices({ room, member }: Props, open: (dialog: Dialog) => void): Choice[] {
  const t = useTexts(roomsTexts)
  const { api } = useApp()
  const changed = useChanged()
  const failureText = useFailureText()
  const { mutate } = useMutation({
    mutationFn: async ({ run, done }: { run: () => Promise<unknown>; done: string }) => {
      await run()
      await changed()
      say(done)
    },
    onError: (error) => sayFailure(failureText(error)),
  })
  if (room.roomType === 'direct') return []
  const role = (value: 'admin' | 'member') => () => {
    const params = { path: { id: room._id, client: member._id } }
    const body = { property: 'role' as const, value }
    mutate({ done: t.roleDone, run: () => resultOf(api.PUT('/rooms/{id}/member/{client}', { params, body })) })
  }
  const unban = () => {
    const params = { path: { roomID: room._id, blockee: member._id } }
    mutate({ done: t.unbanDone, run: () => resultOf(api.DELETE('/blockStatus/room/{roomID}/{blockee}', { params })) })
  }
  const setRole = 'PUT /rooms/{id}/member/{client}' as const
  const isOwner = member.role === 'owner'
  return [
    ...(member.role === 'member'
      ? [{ operation: setRole, icon: 'shield' as const, text: t.makeManager, choose: role('admin') }]
      : []),
    ...(member.role === 'manager'
      ? [{ operation: setRole, icon: 'user' as const, text: t.makeMember, choose: role('member') }]
      : []),
    ...(isOwner
      ? []
      : [
          {
            operation: 'PUT /rooms/{id}' as const,
            icon: 'key' as const,
            text: t.makeOwner,
            choose: () => open('own'),
          },
        ]),
    ...(member.blocked
      ? [
          {
            operation: 'DELETE /blockStatus/room/{roomID}/{blockee}' as const,
            icon: 'undo' as const,
            text: t.unban,
            choose: unban,
          },
        ]
      : isOwner
        ? []
        : [
            {
              operation: 'POST /blockStatus/room/{roomID}/{blockee}' as const,
              icon: 'ban' as const,
              text: t.banHere,
              isDangerous: true as const,
              choose: () => open('ban'),
            },
          ]),
    {
      operation: 'POST /rooms/{id}/delete/members',
      icon: 'leave',
      text: t.takeOut,
      isDangerous: true,
      choose: () => open('remove'),
    },
  ]
}

function MakeOwner({ room, member, onClose }: Props & { onClose: () => void }) {
  const t = useTexts(roomsTexts)
  const { api } = useApp()
  const changed = useChanged()
  const own = async () => {
    const params = { path: { id: room._id } }
    await resultOf(api.PUT('/rooms/{id}', { params, body: { owner: member._id } }))
    await changed()
  }
  return (
    <Confirm title={t.makeOwnerTitle} action={t.makeOwner} done={t.roleDone} run={own} onClose={onClose} isDangerous>
      <Warning>{t.makeOwnerText(visible(member.nickname || member._id))}</Warning>
    </Confirm>
  )
}

function BanHere({ room, member, onClose }: Props & { onClose: () => void }) {
  const t = useTexts(roomsTexts)
  return (
    <BanInRoom
      room={room._id}
      user={member._id}
      text={t.banHereText(visible(member.nickname || member._id))}
      onClose={onClose}
    />
  )
}

function TakeOut({ room, member, onClose }: Props & { onClose: () => void }) {
  const t = useTexts(roomsTexts)
  const { api } = useApp()
  const changed = useChanged()
  const remove = async () => {
    const params = { path: { id: room._id } }
    await resultOf(api.POST('/rooms/{id}/delete/members', { params, body: { members: [member._id] } }))
    await changed()
  }
  return (
    <Confirm title={t.takeOutTitle} action={t.takeOut} done={t.takeOutDone} run={remove} onClose={onClose} isDangerous>
      <Warning>{t.takeOutText(visible(member.nickname || member._id))}</Warning>
    </Confirm>
  )
}
