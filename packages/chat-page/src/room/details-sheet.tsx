import type { Room, RoomInfo } from '@parley/client'
import { useState } from 'preact/hooks'
import { Avatar } from '../app/avatar.tsx'
import { Button } from '../app/button.tsx'
import { Confirm } from '../app/confirm.tsx'
import { Dialog } from '../app/dialog.tsx'
import { DrawnText } from '../app/drawn-text.tsx'
import { Icon } from '../app/icon.tsx'
import { onDemand } from '../app/on-demand.tsx'
import { ShortcutsSheet } from '../app/shortcuts-sheet.tsx'
import { usePreviewOf } from '../rooms/preview.ts'
import { colourID, roomName, roomPicture } from '../rooms/room-name.ts'
import { useChat, useStore } from '../state/chat.ts'
import { MemberList } from './member-list.tsx'
import { NotifySettings } from './notify-settings.tsx'

interface DetailsSheetProps {
  room: Room
  info: RoomInfo
  onClose: () => void
  onGoTo: (messageID: string) => void
  onLeft: () => void
}

const AddPeopleSheet = onDemand(async () => (await import('../people/add-people-sheet.tsx')).AddPeopleSheet)
const RoomForm = onDemand(async () => (await import('../people/room-form.tsx')).RoomForm)

/** The room's members and pinned messages, and the user's actions on it. */
export function DetailsSheet({ room, info, onClose, onGoTo, onLeft }: DetailsSheetProps) {
  const { client, texts, attempt } = useChat()
  const me = useStore(client.me)?._id ?? ''
  const [isLeaving, setLeaving] = useState(false)
  const [shown, setShown] = useState<'add' | 'edit' | 'shortcuts'>()
  const isMuted = info.muted === true
  const isSticky = info.pref?.sticky === true
  const isGroup = info.roomType === 'group'
  const leads = isGroup && (info.owner === me || info.managers.includes(me))
  const isNobodys = info.owner === undefined && info.managers.length === 0
  const mayAdd = isGroup && (info.opening === 1 || leads || isNobodys)
  const leave = async () => {
    if (!(await attempt(() => room.leave()))) return
    onClose()
    onLeft()
  }
  return (
    <Dialog title={texts.details} isSheet onClose={onClose}>
      <DetailsHead info={info} me={me} />
      <div class="details-actions">
        <Button
          class="tile"
          icon={isMuted ? 'bell' : 'mute'}
          onClick={() => void attempt(() => (isMuted ? room.unmute() : room.mute()))}
          label={isMuted ? texts.unmute : texts.mute}
        />
        <Button
          class="tile"
          icon="pin"
          onClick={() => void attempt(() => room.setPref({ sticky: !isSticky }))}
          label={isSticky ? texts.unpinRoom : texts.pinRoom}
        />
        {mayAdd && (
          <Button class="tile" icon="userAdd" onClick={() => setShown('add')} label={texts.people.addPeople} />
        )}
        {leads && <Button class="tile" icon="edit" onClick={() => setShown('edit')} label={texts.people.editRoom} />}
        {isGroup && <Button class="tile danger" icon="leave" onClick={() => setLeaving(true)} label={texts.leave} />}
      </div>
      <NotifySettings {...{ room, info }} />
      <PinnedList
        room={room}
        onGoTo={(id) => {
          onClose()
          onGoTo(id)
        }}
      />
      <h3>{texts.memberList}</h3>
      <MemberList room={room} info={info} me={me} />
      {matchMedia('(hover: hover)').matches && (
        <Button class="link" onClick={() => setShown('shortcuts')} label={texts.shortcuts.title} />
      )}
      {shown === 'shortcuts' && <ShortcutsSheet onClose={() => setShown(undefined)} />}
      {shown === 'add' && <AddPeopleSheet {...{ room, info }} onClose={() => setShown(undefined)} />}
      {shown === 'edit' && <RoomForm {...{ room, info }} onClose={() => setShown(undefined)} />}
      {isLeaving && (
        <Confirm
          question={texts.leaveSure}
          action={texts.leave}
          onConfirm={() => void leave()}
          onClose={() => setLeaving(false)}
        />
      )}
    </Dialog>
  )
}

function DetailsHead({ info, me }: { info: DetailsSheetProps['info']; me: string }) {
  const name = roomName(info, me)
  return (
    <div class="details-head">
      <Avatar id={colourID(info, me)} name={name} url={roomPicture(info, me)} />
      <p class="details-name">
        <bdi>{name}</bdi>
      </p>
      {info.description !== '' && (
        <p class="soft" dir="auto">
          {info.description}
        </p>
      )}
    </div>
  )
}

function PinnedList({ room, onGoTo }: { room: Room; onGoTo: (messageID: string) => void }) {
  const { texts } = useChat()
  const previewOf = usePreviewOf()
  const pinned = useStore(room.pinned)
  return (
    <>
      <h3>{texts.pinnedMessages}</h3>
      {pinned.length === 0 && <p class="soft">{texts.nothingPinned}</p>}
      <ul class="plain-list">
        {pinned.map((message) => (
          <li key={message._id}>
            <button type="button" class="plain-row" aria-label={previewOf(message)} onClick={() => onGoTo(message._id)}>
              <Icon name="pin" />
              <DrawnText text={previewOf(message)} />
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
