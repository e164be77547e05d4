import { ActionIcon, Menu } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { resultOf } from '../../../api.ts'
import { Confirm, say, sayFailure, Warning } from '../../../components/confirm.tsx'
import { Icon } from '../../../components/icon.tsx'
import { visible } from '../../../components/shown.tsx'
import { useFailureText } from '../../../components/states.tsx'
import { useApp } from '../../../session/session.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { BanInRoom } from '../ban-in-room.tsx'
import { messageSearch } from '../searches.ts'
import { useReadingApi } from './reading.ts'
import { conversationTexts } from './texts.ts'
import type { Message } from './use-messages.ts'

/** A message's actions: copy its link or ID, pin, delete, and ban its sender in the room. */
export function MessageMenu({ message }: { message: Message }) {
  const t = useTexts(conversationTexts)
  const { app, may } = useApp()
  const api = useReadingApi()
  const router = useRouter()
  const clipboard = useClipboard()
  const failureText = useFailureText()
  const [open, setOpen] = useState<'remove' | 'ban'>()
  const name = visible(message.sender.nickname || message.sender._id)
  const copy = (text: string) => {
    clipboard.copy(text)
    say(t.copied)
  }
  const address = router.buildLocation({
    to: '/apps/$app/rooms/$room',
    params: { app, room: message.room },
    search: messageSearch(message._id, message.threadOf),
  }).href
  const pinning = useMutation({
    mutationFn: async () => {
      const params = { path: { id: message._id } }
      await resultOf(
        message.pinned ? api.DELETE('/messages/{id}/pin', { params }) : api.POST('/messages/{id}/pin', { params }),
      )
      say(message.pinned ? t.unpinDone : t.pinDone)
    },
    onError: (error) => sayFailure(failureText(error)),
  })
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" className="message-menu" aria-label={t.actionsOf(name)}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => copy(new URL(address, location.href).href)}>{t.copyLink}</Menu.Item>
          <Menu.Item onClick={() => copy(message._id)}>{t.copyId}</Menu.Item>
          {may('POST /messages/{id}/pin') && !message.isDeleted && !message.threadOf && (
            <Menu.Item onClick={() => pinning.mutate()}>{message.pinned ? t.unpin : t.pin}</Menu.Item>
          )}
          {may('DELETE /rooms/{roomID}/messages/{messageID}') && !message.isDeleted && (
            <Menu.Item color="red" onClick={() => setOpen('remove')}>
              {t.remove}
            </Menu.Item>
          )}
          {may('POST /blockStatus/room/{roomID}/{blockee}') && (
            <Menu.Item color="red" onClick={() => setOpen('ban')}>
              {t.banSender}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {open === 'remove' && <RemoveDialog message={message} onClose={() => setOpen(undefined)} />}
      {open === 'ban' && (
        <BanInRoom
          room={message.room}
          user={message.sender._id}
          text={t.banText(name)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  )
}

function RemoveDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const t = useTexts(conversationTexts)
  const { api } = useApp()
  const remove = () => {
    const params = { path: { roomID: message.room, messageID: message._id } }
    return resultOf(api.DELETE('/rooms/{roomID}/messages/{messageID}', { params }))
  }
  return (
    <Confirm title={t.removeTitle} action={t.remove} done={t.removeDone} run={remove} onClose={onClose} isDangerous>
      <Warning>{t.removeText}</Warning>
    </Confirm>
  )
}
