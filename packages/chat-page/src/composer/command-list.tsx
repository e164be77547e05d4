import type { ClientCalls, Room } from '@parley/client'
import { useEffect, useState } from 'preact/hooks'
import { isolated, shownName } from '../app/shown-name.ts'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf, personIn } from '../state/people.ts'
import { handleListKey } from './list-keys.ts'

type Command = ClientCalls['listCommands']['result'][number]

const mostShown = 8

/** Autocomplete of `/name` at the start of a message, from the commands of the room's robots. */
export function useCommands(room: Room, text: string, setText: (text: string) => void) {
  const { client } = useChat()
  const [all, setAll] = useState<readonly Command[]>()
  const [active, setActive] = useState(0)
  /** Closed by Escape, until the text changes. */
  const [closedAt, setClosedAt] = useState<string>()
  const word = /^\/([a-z0-9_-]{0,32})$/iu.exec(text)?.[1]?.toLowerCase()
  const isBegun = word !== undefined
  useEffect(() => {
    if (!isBegun || all) return
    // On failure a slash is plain text, and the next one retries.
    client.api.listCommands({ id: room.id }).then(setAll, () => undefined)
  }, [isBegun])
  useEffect(() => setActive(0), [word])
  const isOpen = isBegun && closedAt !== text
  const found = isOpen && all ? all.filter(({ name }) => name.startsWith(word)).slice(0, mostShown) : []
  const choose = ({ name }: Command) => setText(`/${name} `)
  return {
    found,
    active,
    choose,
    /** Handles the list's keys. Returns whether it handled the key. */
    onKeyDown(event: KeyboardEvent) {
      // Enter sends a fully typed command.
      if (event.key === 'Enter' && found[active]?.name === word) return false
      return handleListKey(event, { found, active, setActive, choose, close: () => setClosedAt(text) })
    },
  }
}
export type Commands = ReturnType<typeof useCommands>

/** The commands that match the typed prefix. */
export function CommandList({ commands: { found, active, choose } }: { commands: Commands }) {
  const { texts, people } = useChat()
  const known = useStore(people.known)
  if (found.length === 0) return null
  return (
    <div class="mention-list" role="listbox" aria-label={texts.commands}>
      {found.map((command, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the text field
        <div
          key={`${command.robot} ${command.name}`}
          class="mention-option command-option"
          role="option"
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(command)}
        >
          <strong>/{command.name}</strong>
          <span class="soft">
            {shownName(command.description)} · {isolated(nameOf(personIn(known, command.robot)))}
          </span>
        </div>
      ))}
    </div>
  )
}
