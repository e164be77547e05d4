import type { Client } from '@parley/client'
import { createThreads } from '@parley/client/threads'
import { createUploads } from '@parley/client/uploads'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { createDrafts } from '../composer/drafts.ts'
import { refuseOtherDrops } from '../composer/use-dropped-files.ts'
import type { Host } from '../embed/host.ts'
import { serveHost } from '../embed/serve-host.ts'
import { imageOrigins } from '../message/image-origins.ts'
import { keepAlso, type PageParameters } from '../page-parameters.ts'
import { RoomView } from '../room/room-view.tsx'
import { Invitations } from '../rooms/invitations.tsx'
import { NewChatButton } from '../rooms/new-chat-button.tsx'
import { RoomList } from '../rooms/room-list.tsx'
import { type Chat, ChatContext, type ShownPerson, sentenceOf, useChat, useStore } from '../state/chat.ts'
import { type ChatConfig, readChatConfig, textOn } from '../state/chat-config.ts'
import { createFileStorage } from '../state/file-storage.ts'
import { createNotices } from '../state/notices.ts'
import { createNotifications, type PushAccess } from '../state/notifications.ts'
import { showUnreadInTab } from '../state/page-title.ts'
import { createPeople } from '../state/people.ts'
import { storageOf } from '../state/storage.ts'
import { createToday } from '../state/today.ts'
import { createValue } from '../state/value.ts'
import { whenKnown } from '../state/when-known.ts'
import { type SpokenStore, textsInAddress } from '../texts/spoken.ts'
import { CloseButton } from './close-button.tsx'
import { ConnectionLine } from './connection-line.tsx'
import { FullPage } from './full-page.tsx'
import { Icon } from './icon.tsx'
import { Notice } from './notice.tsx'
import { onDemand } from './on-demand.tsx'
import { createOpenRoom } from './open-room.ts'
import { useShortcuts } from './shortcuts.ts'
import { ShortcutsSheet } from './shortcuts-sheet.tsx'

interface AppProps {
  client: Client
  parameters: PageParameters
  host: Host | undefined
  spoken: SpokenStore
  /** For pushes to this browser; the page around has its own. */
  push: PushAccess | undefined
}

/** Until the app's is known. */
const plain: ChatConfig = {
  name: undefined,
  color: undefined,
  logo: undefined,
  mayStartChats: false,
  texts: undefined,
  literalText: true,
  linkCards: false,
}

/** The list of rooms and the room that is open: beside each other, or one at a time where there is no space. */
export function App({ client, parameters, host, spoken, push }: AppProps) {
  const parts = useMemo(() => createParts({ client, parameters, host, spoken, push }), [])
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

  // A session that ends later leaves the view and the drafts: the line over the conversation says so.
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
              {...{ title: name ?? texts.chats, logo, notifications, openID: room, isLoaded: me !== undefined }}
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
              {isMissing && (
                <button type="button" class="button back" onClick={openRoom.back}>
                  {texts.back}
                </button>
              )}
              {me && !hasRooms && !isMissing && <NewChatButton isInWords />}
              <CloseButton />
            </div>
          ) : (
            <RoomView key={room} roomID={room} wantedPlace={openRoom.wanted} onBack={openRoom.back} />
          )}
        </div>
        <CardOfPerson />
        <Notice />
        {hasHelp && <ShortcutsSheet onClose={() => setHelp(false)} />}
      </main>
    </ChatContext.Provider>
  )
}

const PersonCard = onDemand(async () => (await import('../people/person-card.tsx')).PersonCard)

function CardOfPerson() {
  const { shownPerson } = useChat()
  const shown = useStore(shownPerson)
  return shown ? <PersonCard key={shown.user} {...shown} onClose={() => shownPerson.set(undefined)} /> : null
}

function createParts({ client, parameters, host, spoken, push }: AppProps) {
  const notices = createNotices()
  const attempt: Chat['attempt'] = async (action) => {
    try {
      await action()
      return true
    } catch (error) {
      notices.show(sentenceOf(spoken.get().texts, error as { code: never }))
      return false
    }
  }
  const people = createPeople(client)
  const config = createValue(plain)
  const threads = createThreads(client)
  // Both belong to a tab, and survive its reload where the browser allows it.
  const storage = storageOf('sessionStorage')
  const files = createFileStorage()
  const uploads = createUploads(client, storage && { storage, files })
  const drafts = createDrafts(client, storage)
  const today = createToday()
  const openRoom = createOpenRoom(client, parameters.room, (room) => {
    if (!host) keepAlso({ room })
  })
  const shared = {
    ...{ client, people, notices, threads, uploads, drafts, attempt, config, today, imageOrigins: imageOrigins() },
    onClose: host && parameters.hasCloseButton ? () => host.send({ type: 'closed' }) : undefined,
    ...{ shownPerson: createValue<ShownPerson | undefined>(undefined), openRoom: openRoom.open },
  }
  if (host) serveHost(host, { client, openRoom, isAlone: parameters.rooms === 'hide' })
  const setName = showUnreadInTab(client, spoken.get().texts.chats)
  const takeConfig = async () => {
    await whenKnown(client)
    // Not before: an address alone would put anybody's words on a page of the integrator.
    if (!host) spoken.useTextsOfPage(textsInAddress(parameters.texts))
    const read = await readChatConfig(client)
    config.set(read)
    spoken.useTextsOfApp(read.texts)
    if (read.color !== undefined) useColor(read.color)
  }
  void takeConfig()
  // Without IndexedDB there are none.
  void files.removeOld().catch(() => undefined)
  const notifications = createNotifications({ ...shared, texts: () => spoken.get().texts, push }, openRoom.open)
  return { shared, openRoom, config, notifications, setName }
}

function useColor(color: string): void {
  const { style, dataset } = document.documentElement
  dataset['brand'] = ''
  style.setProperty('--brand', color)
  style.setProperty('--on-brand', textOn(color))
}
