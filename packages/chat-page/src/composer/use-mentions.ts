import type { Room, Sender } from '@parley/client'
import type { RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf } from '../state/people.ts'
import { matching, mentionAt } from './mention-word.ts'

type Person = Pick<Sender, '_id' | 'nickname' | 'avatarUrl'>

export interface Mentions {
  found: readonly Person[]
  active: number
  listID: string
  activeID: string | undefined
  /** Looks whether a mention is being written at the caret. */
  look: () => void
  choose: (person: Person) => void
  /** Takes the keys that move in the list; returns whether it took it. */
  onKeyDown: (event: KeyboardEvent) => boolean
  /** The chosen members that are still in the text. */
  mentionedIn: (text: string) => string[]
  forget: () => void
}

const listID = 'mentions'

/** Completion of `@name` from the members of the room. */
export function useMentions(
  room: Room,
  field: RefObject<HTMLTextAreaElement | null>,
  text: string,
  setText: (text: string) => void,
  me: string | undefined,
): Mentions {
  const { people } = useChat()
  const members = useStore(room.info)?.members ?? []
  const [more, setMore] = useState<readonly Person[]>([])
  const [word, setWord] = useState<{ from: number; query: string }>()
  const [active, setActive] = useState(0)
  const chosen = useRef(new Map<string, string>())
  const isRead = useRef(false)
  const all = [...new Map([...members, ...more].map((person) => [person._id, person])).values()]
  const found = word
    ? matching(
        all.filter(({ _id }) => _id !== me),
        word.query,
      )
    : []

  /** The room names its first 50 members only. */
  const readMore = async () => {
    if (isRead.current || (room.info.get()?.memberCount ?? 0) <= members.length) return
    isRead.current = true
    try {
      const { data } = await room.members({ limit: 500 })
      people.learn(data)
      setMore(data)
    } catch {
      // The first 50 are offered until the next mention is begun.
      isRead.current = false
    }
  }
  const choose = (person: Person) => {
    if (!word) return
    const name = nameOf(person)
    chosen.current.set(person._id, name)
    const caret = field.current?.selectionStart ?? text.length
    const end = word.from + name.length + 2
    setText(`${text.slice(0, word.from)}@${name} ${text.slice(caret)}`)
    setWord(undefined)
    field.current?.focus()
    requestAnimationFrame(() => field.current?.setSelectionRange(end, end))
  }
  return {
    found,
    active,
    listID,
    activeID: found[active] ? `${listID}-${active}` : undefined,
    look() {
      const { value = '', selectionStart = 0 } = field.current ?? {}
      const now = mentionAt(value, selectionStart)
      setWord(now)
      setActive(0)
      if (now) void readMore()
    },
    choose,
    onKeyDown(event) {
      const person = found[active]
      if (!person) return false
      if (event.key === 'Enter' || event.key === 'Tab') choose(person)
      else if (event.key === 'Escape') setWord(undefined)
      else if (event.key === 'ArrowDown') setActive((active + 1) % found.length)
      else if (event.key === 'ArrowUp') setActive((active + found.length - 1) % found.length)
      else return false
      event.preventDefault()
      return true
    },
    mentionedIn: (written) => [...chosen.current].filter(([, name]) => written.includes(`@${name}`)).map(([id]) => id),
    forget: () => chosen.current.clear(),
  }
}
