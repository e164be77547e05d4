import type { Room, RoomInfo } from '@parley/client'
import { useState } from 'preact/hooks'
import { Avatar } from '../app/avatar.tsx'
import { Button } from '../app/button.tsx'
import { Dialog } from '../app/dialog.tsx'
import { useChat } from '../state/chat.ts'

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
            <Button class="link" onClick={() => change({ cover: '' })} label={texts.people.removePicture} />
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
          <Button class="button" onClick={onClose} label={texts.cancel} />
          <Button type="submit" class="button primary" label={texts.save} />
        </div>
      </form>
    </Dialog>
  )
}

/** The server's limit for a cover. */
const mostChars = 2_048
/** Sizes in pixels and qualities to try, from best to smallest. */
const tries = [96, 80, 64, 48, 32].flatMap((side) => [0.7, 0.5, 0.3].map((quality) => ({ side, quality })))

/**
 * Crops and scales a picture to a small data URL, which needs no storage and passes the page's CSP.
 * @returns undefined for a file that the browser cannot decode, or cannot make small enough
 */
async function squeezed(file: Blob): Promise<string | undefined> {
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (!picture) return undefined
  const whole = Math.min(picture.width, picture.height)
  const canvas = document.createElement('canvas')
  for (const { side, quality } of tries) {
    canvas.width = canvas.height = side
    const context = canvas.getContext('2d')
    // White background for transparent pictures.
    if (context) context.fillStyle = '#ffffff'
    context?.fillRect(0, 0, side, side)
    const [left, top] = [(picture.width - whole) / 2, (picture.height - whole) / 2]
    context?.drawImage(picture, left, top, whole, whole, 0, 0, side, side)
    const webp = canvas.toDataURL('image/webp', quality)
    // Safari has no encoder for WebP, and makes a PNG instead.
    const url = webp.startsWith('data:image/webp') ? webp : canvas.toDataURL('image/jpeg', quality)
    if (url.length <= mostChars) return url
  }
  return undefined
}
