import { Avatar } from '../app/avatar.tsx'
import { useChat } from '../state/chat.ts'
import { nameOf } from '../state/people.ts'
import type { Mentions } from './use-mentions.ts'

/** Members that match the word being typed. */
export function MentionList({ mentions: { found, active, listID, choose } }: { mentions: Mentions }) {
  const { texts } = useChat()
  if (found.length === 0) return null
  return (
    <div class="mention-list" role="listbox" id={listID} aria-label={texts.memberList}>
      {found.map((person, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the text field, which names the active one
        <div
          key={person._id}
          id={`${listID}-${index}`}
          class="mention-option"
          role="option"
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(person)}
        >
          <Avatar id={person._id} name={nameOf(person)} url={person.avatarUrl} isSmall />
          <bdi>{nameOf(person)}</bdi>
        </div>
      ))}
    </div>
  )
}
