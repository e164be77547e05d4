import { useMemo, useState } from 'preact/hooks'
import { ConnectionLine } from '../app/connection-line.tsx'
import { PlaceToWrite } from '../room/conversation.tsx'
import { RoomView } from '../room/room-view.tsx'
import { ThreadPanel } from '../room/thread-panel.tsx'
import { Invitations } from '../rooms/invitations.tsx'
import { RoomList } from '../rooms/room-list.tsx'
import { useChat, useStore } from '../state/chat.ts'
import { Part } from './part.tsx'
import type { ComposerProps, ConversationProps, RoomListProps, ThreadProps } from './types.ts'

export function RoomListPart(props: RoomListProps) {
  return (
    <Part is="rooms">
      <Rooms {...props} />
    </Part>
  )
}

function Rooms({ title, selected, onSelect, actions }: RoomListProps) {
  const { client, texts } = useChat()
  const isLoaded = useStore(client.me) !== undefined
  const onThread = (room: string, thread?: string, message?: string) => onSelect(room, { thread, message })
  return (
    <nav class="side" aria-label={texts.rooms}>
      <RoomList {...{ title: title ?? texts.chats, actions, openID: selected, isLoaded, onOpen: onSelect, onThread }} />
      <Invitations onOpen={onSelect} />
    </nav>
  )
}

export function ConversationPart(props: ConversationProps) {
  return (
    <Part is="conversation">
      <OpenedRoom key={props.room} {...props} />
    </Part>
  )
}

function OpenedRoom({ room, goTo, onBack, onThread, composer = true }: ConversationProps) {
  const [id, setID] = useState<string>()
  const wanted = useMemo(() => goTo && { room, ...goTo }, [room, goTo])
  const thread = { id: onThread ? undefined : id, open: onThread ?? setID, close: () => setID(undefined) }
  return (
    <>
      <ConnectionLine />
      <RoomView {...{ roomID: room, wanted, thread, onBack, isWithoutComposer: !composer }} />
    </>
  )
}

export function ThreadPart(props: ThreadProps) {
  return (
    <Part is="thread">
      <OpenedThread key={props.message} {...props} />
    </Part>
  )
}

function OpenedThread({ room: roomID, message, onClose, composer = true }: ThreadProps) {
  const room = useChat().client.room(roomID)
  const none = () => undefined
  return (
    <ThreadPanel
      {...{ room, about: message, wanted: undefined, onClose, onGoTo: none, isWithoutComposer: !composer }}
    />
  )
}

export function ComposerPart(props: ComposerProps) {
  return (
    <Part is="composer">
      <Writing key={props.thread ?? props.room} {...props} />
    </Part>
  )
}

function Writing({ room: roomID, thread }: ComposerProps) {
  const room = useChat().client.room(roomID)
  return <PlaceToWrite room={room} thread={thread === undefined ? undefined : room.thread(thread)} />
}
