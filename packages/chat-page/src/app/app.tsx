import type { Client } from '@parley/client'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { refuseOtherDrops } from '../composer/use-dropped-files.ts'
import type { Host } from '../embed/host.ts'
import { serveHost } from '../embed/serve-host.ts'
import { imageOrigins } from '../message/image-origins.ts'
import { keepAlso, type PageParameters } from '../page-parameters.ts'
import { RoomView } from '../room/room-view.tsx'
import { useOpenThread } from '../room/use-open-thread.ts'
import { Invitations } from '../rooms/invitations.tsx'
import { NewChatButton } from '../rooms/new-chat-button.tsx'
import { NotifyButton } from '../rooms/notify-button.tsx'
import { RoomList } from '../rooms/room-list.tsx'
import { ChatContext, useStore } from '../state/chat.ts'
import { plainConfig, readChatConfig, textOn, withLook } from '../state/chat-config.ts'
import { createChat } from '../state/create-chat.ts'
import { createNotifications, type PushAccess } from '../state/notifications.ts'
import { showUnreadInTab } from '../state/page-title.ts'
import { createValue } from '../state/value.ts'
import { whenKnown } from '../state/when.ts'
import { type SpokenStore, textsInAddress } from '../texts/spoken.ts'
import { Button } from './button.tsx'
import { CloseButton } from './close-button.tsx'
import { ConnectionLine } from './connection-line.tsx'
import { FullPage } from './full-page.tsx'
import { Icon } from './icon.tsx'
import { Notice } from './notice.tsx'
import { createOpenRoom, type OpenRoom } from './open-room.ts'
import { useShortcuts } from './shortcuts.ts'
import { ShortcutsSheet } from './shortcuts-sheet.tsx'
import { ShownPersonCard } from './shown-person-card.tsx'

interface AppProps {
  client: Client
  parameters: PageParameters
  host: Host | undefined
  spoken: SpokenStore
  /** For push to this browser; undefined in a frame, where the host page has its own. */
  push: PushAccess | undefined
  /** Whether this one of the user's tabs shows notifications. */
  mayNotify: () => boolean
}

/** The room list and the open room: side by side, or one at a time on narrow screens. */
export function App(props: AppProps) {
  const { client, parameters, spoken } = props
  const parts = useMemo(() => createParts(props), [])
  const { openRoom, config, notifications, setName } = parts
  const now = useStore(spoken)
  const chat = useMemo(() => ({ ...parts.shared, ...now }), [now])
  const { texts } = now
  const connection = useStore(client.connection)
  const me = useStore(client.me)
  const room = useStore(openRoom.current)
  const hasRooms = useStore(client.rooms).some(({ pref }) => !pref?.hidden)
  const hasList = parameters.rooms === 'show'
  const isMissing = useStore(openRoom.isMissing)
  useEffect(refuseOtherDrops, [])
  const [hasHelp, setHelp] = useState(false)
  useShortcuts({ client, openRoom, onHelp: () => setHelp(true) })
  const { name, logo } = useStore(config)
  useEffect(() => setName(name ?? texts.chats), [name, texts])

  // If a session ends later, the view and drafts stay, and ConnectionLine reports it.
  if (connection.status === 'stopped' && !me) {
    const action = { name: texts.retry, act: () => client.connect() }
    return (
      <ChatContext.Provider value={chat}>
        <FullPage title={texts.signedOut} hint={texts.signedOutHint} action={action}>
          <CloseButton />
        </FullPage>
      </ChatContext.Provider>
    )
  }
  return (
    <ChatContext.Provider value={chat}>
      <main
        class={`layout ${hasList ? '' : 'alone'} ${room === undefined && !isMissing ? 'shows-list' : 'shows-room'}`}
      >
        <ConnectionLine />
        {hasList && (
          <nav class="side" aria-label={texts.rooms}>
            <RoomList
              {...{ title: name ?? texts.chats, logo, openID: room, isLoaded: me !== undefined }}
              actions={<NotifyButton notifications={notifications} />}
              onOpen={openRoom.open}
              onThread={openRoom.open}
            />
            <Invitations onOpen={openRoom.open} />
          </nav>
        )}
        <div class="main">
          {room === undefined ? (
            <div class="nothing">
              <Icon name={isMissing ? 'info' : 'bubble'} />
              {isMissing ? (
                <h1>{texts.notAvailable}</h1>
              ) : (
                <p>{!me ? texts.loading : hasRooms ? texts.chooseRoom : texts.noRoomsHint}</p>
              )}
              {isMissing && <Button class="button back" onClick={openRoom.back} label={texts.back} />}
              {me && !hasRooms && !isMissing && <NewChatButton isInWords />}
              <CloseButton />
            </div>
          ) : (
            <OpenedRoom key={room} roomID={room} openRoom={openRoom} />
          )}
        </div>
        <ShownPersonCard />
        <Notice />
        {hasHelp && <ShortcutsSheet onClose={() => setHelp(false)} />}
      </main>
    </ChatContext.Provider>
  )
}

function OpenedRoom({ roomID, openRoom }: { roomID: string; openRoom: OpenRoom }) {
  const thread = useOpenThread(roomID)
  return <RoomView {...{ roomID, thread, wanted: useStore(openRoom.wanted), onBack: openRoom.back }} />
}

function createParts({ client, parameters, host, spoken, push, mayNotify }: AppProps) {
  const config = createValue(plainConfig)
  const openRoom = createOpenRoom(client, parameters.room, (room) => {
    if (!host) keepAlso({ room })
  })
  const texts = () => spoken.get().texts
  const shared = createChat({
    ...{ client, texts, config, imageOrigins: imageOrigins(), slots: {}, isPart: false },
    onClose: host && parameters.hasCloseButton ? () => host.send({ type: 'closed' }) : undefined,
    openRoom: openRoom.open,
  })
  if (host) serveHost(host, { client, openRoom, isAlone: parameters.rooms === 'hide' })
  const setName = showUnreadInTab(client, texts().chats)
  let stored = plainConfig
  let edited: unknown
  const showConfig = () => {
    const shown = withLook(stored, edited)
    config.set(shown)
    spoken.setTextsOfApp(shown.texts)
    applyColor(shown.color)
  }
  const takeConfig = async () => {
    await whenKnown(client)
    // Only after the login: otherwise a crafted link could put any text on the integrator's page.
    if (!host) spoken.setTextsOfPage(textsInAddress(parameters.texts))
    stored = await readChatConfig(client)
    showConfig()
  }
  void takeConfig()
  if (parameters.host === location.origin) {
    host?.on('look', ({ look }) => {
      edited = look
      showConfig()
    })
  }
  const notifications = createNotifications({ ...shared, texts, push, mayNotify }, openRoom.open)
  return { shared, openRoom, config, notifications, setName }
}

function applyColor(color: string | undefined): void {
  const { style, dataset } = document.documentElement
  if (color === undefined) {
    delete dataset['brand']
    style.removeProperty('--brand')
    style.removeProperty('--on-brand')
    return
  }
  dataset['brand'] = ''
  style.setProperty('--brand', color)
  style.setProperty('--on-brand', textOn(color))
}
