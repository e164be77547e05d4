import type { ClientCalls } from '@parley/client'
import { useEffect, useState } from 'preact/hooks'
import { Dialog } from '../app/dialog.tsx'
import { Icon } from '../app/icon.tsx'
import { isolated, shownName } from '../app/shown-name.ts'
import { useNameOf } from '../message/quote.tsx'
import { shortTime } from '../room/times.ts'
import { useChat, useStore } from '../state/chat.ts'
import { usePlainText } from './preview.ts'
import { roomName } from './room-name.ts'

type Found = NonNullable<ClientCalls['search']['result']['found']>[number]

interface SearchSheetProps {
  /** Searches only this room; without it, all rooms. */
  room?: string
  initial?: string
  onFound: (found: Found) => void
  onClose: () => void
}

/** Debounces searches while the user types. */
const pauseMS = 300
const wholeWords = /\p{Script=Han}|\p{Script=Hangul}/u
/** Whether to search for a text: a single letter finds nothing, but a single Chinese character is a word. */
const isWord = (text: string): boolean => text.length > 1 || wholeWords.test(text)

/** Searches messages. Clicking a result jumps to it. */
export function SearchSheet({ room, initial = '', onFound, onClose }: SearchSheetProps) {
  const { client, texts, attempt } = useChat()
  const [query, setQuery] = useState(initial)
  const [found, setFound] = useState<readonly Found[]>()
  const keyword = query.trim()
  useEffect(() => {
    let isCurrent = true
    const search = () =>
      attempt(async () => {
        const { found = [] } = await client.api.search({ keyword, excerpts: true, ...(room !== undefined && { room }) })
        if (isCurrent) setFound(found)
      })
    if (!isWord(keyword)) setFound(undefined)
    const timer = isWord(keyword) ? setTimeout(() => void search(), pauseMS) : undefined
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [keyword])
  const title = room === undefined ? texts.searchMessages : texts.searchInRoom
  return (
    <Dialog title={title} isSheet onClose={onClose}>
      <label class="search in-sheet">
        <Icon name="search" />
        <input
          type="search"
          enterkeyhint="search"
          maxLength={256}
          aria-label={title}
          placeholder={title}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
      </label>
      {found?.length === 0 && (
        <div class="nothing list-hint" role="status">
          <Icon name="search" />
          <p>{texts.noMatch}</p>
        </div>
      )}
      <ul class="plain-list">
        {found?.map((one) => (
          <li key={one._id}>
            <FoundRow
              found={one}
              showsRoom={room === undefined}
              onOpen={() => {
                onClose()
                onFound(one)
              }}
            />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function FoundRow({ found, showsRoom, onOpen }: { found: Found; showsRoom: boolean; onOpen: () => void }) {
  const { client, texts, lang, today } = useChat()
  const me = useStore(client.me)?._id
  const room = useStore(client.rooms).find(({ _id }) => _id === found.room)
  const now = useStore(today)
  const plain = usePlainText()
  const name = useNameOf(found.sender)
  return (
    <button type="button" class="plain-row thread-row" onClick={onOpen}>
      <span class="room-text">
        <span class="room-line">
          <bdi class="room-name">{name}</bdi>
          <time class="soft">{shortTime(found.messageTimeMS, lang, now)}</time>
        </span>
        <span class="found-text" dir="auto">
          {shownName(plain(found.text))}
        </span>
        {showsRoom && room && <small class="soft">{texts.inRoom(isolated(roomName(room, me)))}</small>}
      </span>
    </button>
  )
}
