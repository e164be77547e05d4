import { useId, useState } from 'preact/hooks'
import { Avatar } from '../app/avatar.tsx'
import { Icon } from '../app/icon.tsx'
import { isComposing } from '../composer/is-composing.ts'
import { matching } from '../composer/mention-word.ts'
import { sentenceOf, useChat, useStore } from '../state/chat.ts'
import { nameOf } from '../state/people.ts'
import { type Person, usePeopleFound } from './use-people-found.ts'

interface PersonPickerProps {
  chosen: readonly Person[]
  onChange: (chosen: readonly Person[]) => void
  /** IDs of users who are not offered. */
  without: ReadonlySet<string>
  /** Where a user may be named by an ID that nobody finds. */
  takesIDs?: boolean
}

const mostShown = 8

/** Chooses people by the beginnings of their names: those known to the page at once, then those that the server finds. */
export function PersonPicker({ chosen, onChange, without, takesIDs = false }: PersonPickerProps) {
  const { client, texts, people } = useChat()
  const known = useStore(people.known)
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const listID = useId()
  const served = usePeopleFound(client, query, { limit: mostShown + 12 }, people.learn)
  const wanted = query.trim()
  const isTaken = ({ _id }: Person) => without.has(_id) || chosen.some((one) => one._id === _id)
  const local = [...known.values()].filter((person) => !isTaken(person) && person.nickname !== '')
  const found = [...(served?.query === wanted ? served.people : []), ...matching(local, wanted, mostShown)]
  const byID = takesIDs && wanted !== '' ? [{ _id: wanted, nickname: '', avatarUrl: '' }] : []
  const named = [...new Map(found.map((person) => [person._id, person])).values()].filter((one) => !isTaken(one))
  const offered = [
    ...named.slice(0, mostShown),
    ...byID.filter((one) => !isTaken(one) && !named.some(({ _id }) => _id === one._id)),
  ]
  const isDone = wanted !== '' && served?.query === wanted
  const choose = (person: Person) => {
    onChange([...chosen, person])
    setQuery('')
    setActive(0)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    const person = offered[active]
    if (event.key === 'Backspace' && query === '') return onChange(chosen.slice(0, -1))
    if (!person) return
    if (event.key === 'Enter') choose(person)
    else if (event.key === 'ArrowDown') setActive((active + 1) % offered.length)
    else if (event.key === 'ArrowUp') setActive((active + offered.length - 1) % offered.length)
    else return
    event.preventDefault()
  }
  return (
    <div class="picker">
      {chosen.length > 0 && (
        <ul class="chips" aria-label={texts.people.chosen}>
          {chosen.map((person) => (
            <li key={person._id} class="chip">
              <bdi>{nameOf(person)}</bdi>
              <button
                type="button"
                class="icon-button"
                aria-label={texts.people.unchoose(nameOf(person))}
                onClick={() => onChange(chosen.filter(({ _id }) => _id !== person._id))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        type="text"
        role="combobox"
        autocomplete="off"
        aria-label={texts.people.search}
        placeholder={texts.people.search}
        aria-expanded={offered.length > 0}
        aria-controls={listID}
        aria-autocomplete="list"
        aria-activedescendant={offered[active] && `${listID}-${active}`}
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={listID} aria-label={texts.people.found} class="picker-list">
        {offered.map((person, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the text field, which names the active one
          <div
            key={person._id}
            id={`${listID}-${index}`}
            class="mention-option"
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(person)}
          >
            <Avatar id={person._id} name={nameOf(person)} url={person.avatarUrl} isSmall />
            {byID.includes(person) ? <bdi>{texts.people.byID(person._id)}</bdi> : <bdi>{nameOf(person)}</bdi>}
          </div>
        ))}
      </div>
      <p class="soft" role="status">
        {isDone && named.length === 0 && (served.error ? sentenceOf(texts, served.error) : texts.people.nobodyFound)}
      </p>
    </div>
  )
}
