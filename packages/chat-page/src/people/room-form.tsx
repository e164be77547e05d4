import type { Room, RoomInfo } from '@parley/client'
import { useState } from 'preact/hooks'
import { Avatar } from '../app/avatar.tsx'
import { Dialog } from '../app/dialog.tsx'
import { useChat } from '../state/chat.ts'
import { squeezed } from './squeezed-picture.ts'

interface RoomFormProps {
  room: Room
  info: RoomInfo
  onClose: () => void
}

export function RoomForm({ room, info, onClose }: RoomFormProps) {
  const { client, texts, attempt, notices } = useChat()
  const [{ name, description, cover }, setFields] = useState(info)
  const change = (fields: Partial<RoomInfo>) => setFields((before) => ({ ...before, ...fields }))
  const take = async (file: File | undefined) => {
    if (!file) return
    const picture = await squeezed(file)
    if (picture === undefined) notices.show(texts.people.badPicture)
    else change({ cover: picture })
  }
  const save = async () => {
    const wanted = { name: name.trim(), description: description.trim(), cover }
    const changed = Object.entries(wanted).filter(([field, value]) => value !== info[field as keyof typeof wanted])
    if (changed.length === 0) return onClose()
    if (await attempt(() => client.api.updateRoom({ id: room.id, ...Object.fromEntries(changed) }))) onClose()
  }
  return (
    <Dialog title={texts.people.editRoom} onClose={onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <div class="details-head">
          <Avatar key={cover} id={info._id} name={name || info._id} url={cover} />
          <label class="button">
            {texts.people.choosePicture}
            <input
              class="visually-hidden"
              type="file"
              accept="image/*"
              onChange={(event) => void take(event.currentTarget.files?.[0])}
            />
          </label>
          {cover !== '' && (
            <button type="button" class="link" onClick={() => change({ cover: '' })}>
              {texts.people.removePicture}
            </button>
          )}
        </div>
        <label class="field">
          {texts.people.roomName}
          <input
            type="text"
            enterkeyhint="done"
            maxLength={256}
            value={name}
            onInput={(event) => change({ name: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          {texts.people.roomDescription}
          <textarea
            enterkeyhint="enter"
            rows={3}
            maxLength={4096}
            value={description}
            onInput={(event) => change({ description: event.currentTarget.value })}
          />
        </label>
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            {texts.cancel}
          </button>
          <button type="submit" class="button primary">
            {texts.save}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
