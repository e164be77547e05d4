import { useId, useState } from 'preact/hooks'
import { Avatar } from '../app/avatar.tsx'
import { IconButton } from '../app/button.tsx'
import { isComposing } from '../composer/is-composing.ts'
import { matching } from '../composer/mention-word.ts'
import { sentenceOf, useChat, useStore } from '../state/chat.ts'
import { distinct, nameOf, type Person } from '../state/people.ts'
import { usePeopleFound } from './use-people-found.ts'

interface PersonPickerProps {
  chosen: readonly Person[]
  onChange: (chosen: readonly Person[]) => void
  /** IDs of users who are not offered. */
  without: ReadonlySet<string>
  /** Whether users can be added by an ID that the search does not find. */
  takesIDs?: boolean
}

const mostShown = 8
/** Matches taken from the people known to the page, before exclusions. */
const mostKnown = 50

/** Finds people by the start of their names: first those known to the page, then those that the server finds. */
export function PersonPicker({ chosen, onChange, without, takesIDs = false }: PersonPickerProps) {
  const { client, texts, people } = useChat()
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const listID = useId()
  const served = usePeopleFound(client, query, { limit: mostShown + 12 }, people.learn)
  const wanted = query.trim()
  const isAnswered = wanted !== '' && served?.query === wanted
  const known = [...useStore(people.known).values()].filter(({ nickname }) => nickname !== '')
  const isTaken = ({ _id }: Person) => without.has(_id) || chosen.some((one) => one._id === _id)
  const named = distinct([...(isAnswered ? served.people : []), ...matching(known, wanted, mostKnown)]).filter(
    (person) => !isTaken(person),
  )
  const byID: Person = { _id: wanted, nickname: '', avatarUrl: '' }
  const mayBeID = takesIDs && wanted !== '' && !isTaken(byID) && !named.some(({ _id }) => _id === wanted)
  const offered = [...named.slice(0, mostShown), ...(mayBeID ? [byID] : [])]
  const choose = (person: Person) => {
    onChange([...chosen, person])
    setQuery('')
    setActive(0)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    const person = offered[active]
    if (event.key === 'Backspace' && query === '') return onChange(chosen.slice(0, -1))
    // With an empty field, Enter submits the form.
    if (!person || (event.key === 'Enter' && wanted === '' && chosen.length > 0)) return
    if (event.key === 'Enter') choose(person)
    else if (event.key === 'ArrowDown') setActive((active + 1) % offered.length)
    else if (event.key === 'ArrowUp') setActive((active + offered.length - 1) % offered.length)
    else return
    event.preventDefault()
  }
  return (
    <div class="picker">
      <Chips {...{ chosen, onChange }} />
      <input
        type="text"
        role="combobox"
        enterkeyhint={offered.length + chosen.length > 0 ? 'done' : 'search'}
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
            <bdi>{person === byID ? texts.people.byID(person._id) : nameOf(person)}</bdi>
          </div>
        ))}
      </div>
      <p class="soft" role="status">
        {isAnswered &&
          named.length === 0 &&
          (served.error ? sentenceOf(texts, served.error) : texts.people.nobodyFound)}
      </p>
    </div>
  )
}

/** The chosen people, each with a remove button. */
function Chips({ chosen, onChange }: Pick<PersonPickerProps, 'chosen' | 'onChange'>) {
  const { texts } = useChat()
  if (chosen.length === 0) return null
  return (
    <ul class="chips" aria-label={texts.people.chosen}>
      {chosen.map((person) => (
        <li key={person._id} class="chip">
          <bdi>{nameOf(person)}</bdi>
          <IconButton
            icon="close"
            label={texts.people.unchoose(nameOf(person))}
            onClick={() => onChange(chosen.filter(({ _id }) => _id !== person._id))}
          />
        </li>
      ))}
    </ul>
  )
}
