import type { Room, RoomInfo } from '@parley/client'
import { useState } from 'preact/hooks'
import { Button } from '../app/button.tsx'
import { Dialog } from '../app/dialog.tsx'
import { useChat } from '../state/chat.ts'
import type { Person } from '../state/people.ts'
import { PersonPicker } from './person-picker.tsx'

interface AddPeopleSheetProps {
  room: Room
  info: RoomInfo
  onClose: () => void
}

export function AddPeopleSheet({ room, info, onClose }: AddPeopleSheetProps) {
  const { client, texts, attempt } = useChat()
  const [chosen, setChosen] = useState<readonly Person[]>([])
  const add = async () => {
    const invitees = chosen.map(({ _id }) => _id)
    if (await attempt(() => client.api.addMembers({ id: room.id, invitees }))) onClose()
  }
  return (
    <Dialog title={texts.people.addPeople} onClose={onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (chosen.length > 0) void add()
        }}
      >
        <PersonPicker
          {...{ chosen }}
          onChange={setChosen}
          without={new Set(info.members.map(({ _id }) => _id))}
          takesIDs
        />
        <div class="dialog-actions">
          <Button type="submit" class="button primary" disabled={chosen.length === 0} label={texts.add} />
        </div>
      </form>
    </Dialog>
  )
}
