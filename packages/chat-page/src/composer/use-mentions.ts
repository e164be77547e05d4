import type { Room, RoomMessage } from '@parley/client'
import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { usePeopleFound } from '../people/use-people-found.ts'
import { useChat, useStore } from '../state/chat.ts'
import { distinct, nameOf, type Person, personIn } from '../state/people.ts'
import { handleListKey } from './list-keys.ts'
import { findMentions, keepMentions, type MentionRange } from './mention-ranges.ts'
import { matching, mentionAt } from './mention-word.ts'

/** A text being written, with the members mentioned in it. */
export interface Written {
  text: string
  mentions: readonly MentionRange[]
  write: (text: string, mentions: readonly MentionRange[]) => void
}

const listID = 'mentions'
const mostShown = 6

/** Autocomplete of `@name` from the room's members: first those that the page knows, then those that the server finds. */
export function useMentions(
  room: Room,
  field: RefObject<HTMLTextAreaElement | null>,
  { text, mentions, write }: Written,
  me: string | undefined,
) {
  const { client, people } = useChat()
  const { members = [], memberCount = 0 } = useStore(room.info) ?? {}
  const [word, setWord] = useState<{ from: number; query: string }>()
  const [active, setActive] = useState(0)
  // A room lists only its first 50 members.
  const query = memberCount > members.length ? word?.query : undefined
  const served = usePeopleFound(client, query, { room: room.id, limit: mostShown }, people.learn)
  const others = members.filter(({ _id }) => _id !== me)
  const found = word
    ? distinct([...matching(others, word.query, mostShown), ...servedFor(served, word.query)]).slice(0, mostShown)
    : []

  const choose = (person: Person) => {
    if (!word) return
    const name = nameOf(person)
    const caret = field.current?.selectionStart ?? text.length
    const to = word.from + name.length + 1
    const now = `${text.slice(0, word.from)}@${name} ${text.slice(caret)}`
    const kept = keepMentions(mentions, text, now, to + 1)
    write(now, [...kept, { user: person._id, from: word.from, to }])
    setWord(undefined)
    field.current?.focus()
    requestAnimationFrame(() => field.current?.setSelectionRange(to + 1, to + 1))
  }
  return {
    found,
    active,
    listID,
    activeID: found[active] ? `${listID}-${active}` : undefined,
    /** Takes over the field's new text. */
    take: (now: string) => {
      write(now, keepMentions(mentions, text, now, field.current?.selectionStart ?? now.length))
    },
    /** Checks whether a mention is being typed at the caret. */
    look: () => {
      const { value = '', selectionStart = 0 } = field.current ?? {}
      setWord(mentionAt(value, selectionStart))
      setActive(0)
    },
    choose,
    /** Handles the list's keys. Returns whether it handled the key. */
    onKeyDown: (event: KeyboardEvent) =>
      handleListKey(event, { found, active, setActive, choose, close: () => setWord(undefined) }),
    /** The mentioned members: chosen ones, and those whose full name was typed. */
    mentioned: () => [...new Set([...mentions, ...findMentions(text, others, mentions)].map(({ user }) => user))],
  }
}
export type Mentions = ReturnType<typeof useMentions>

/** The server's results, or those results for an earlier word that still match. */
function servedFor(served: ReturnType<typeof usePeopleFound>, query: string): readonly Person[] {
  if (!served) return []
  return served.query === query ? served.people : matching(served.people, query, mostShown)
}

/** Finds the mentions of a message being edited. `elsewhere` has mentioned users who do not appear in its text. */
export function mentionsOf(
  { mentions: mentioned = [] }: Pick<RoomMessage, 'mentions'>,
  text: string,
  known: ReadonlyMap<string, Person>,
): { mentions: MentionRange[]; elsewhere: string[] } {
  const named = mentioned.map((id) => personIn(known, id))
  const mentions = findMentions(text, named)
  const inText = new Set(mentions.map(({ user }) => user))
  return { mentions, elsewhere: mentioned.filter((id) => !inText.has(id)) }
}
