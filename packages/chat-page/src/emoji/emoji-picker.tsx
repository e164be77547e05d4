import { useMemo, useState } from 'preact/hooks'
import { useChat } from '../state/chat.ts'
import { groupBy } from '../state/group-by.ts'
import type { Emojis } from './emojis.ts'

interface EmojiPickerProps {
  emojis: Emojis
  onPick: (emoji: string) => void
}

/** The groups of Unicode by their numbers. The third has parts of others, such as tones of skin. */
const groupNames = [
  'smileys',
  'people',
  undefined,
  'animals',
  'food',
  'travel',
  'activities',
  'objects',
  'symbols',
  'flags',
] as const

/** A field to search by name, and a grid that arrow keys move in. */
export function EmojiPicker({ emojis, onPick }: EmojiPickerProps) {
  const { texts } = useChat()
  const [query, setQuery] = useState('')
  const groups = useMemo(() => {
    const words = query.trim().toLowerCase().split(/\s+/u)
    const isFound = (of: string) => words.every((word) => of.includes(word))
    const found = emojis.filter(
      ([, group, name, tags]) => groupNames[group] !== undefined && isFound(`${name} ${tags}`.toLowerCase()),
    )
    return groupBy(found, ([, group]) => group)
  }, [emojis, query])
  return (
    <>
      <input
        type="search"
        enterkeyhint="search"
        class="emoji-search"
        aria-label={texts.searchEmoji}
        placeholder={texts.searchEmoji}
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
      />
      <div class="emojis" onKeyDown={moveInGrid}>
        {groups.length === 0 && <p class="soft">{texts.noMatch}</p>}
        {groups.map(([group, found], nth) => (
          <section key={group}>
            <h3>{texts.emojiGroups[groupNames[group] ?? 'symbols']}</h3>
            <div class="emoji-grid">
              {found.map(([emoji, , name], n) => (
                <button
                  key={emoji}
                  type="button"
                  aria-label={name}
                  title={name}
                  tabIndex={nth === 0 && n === 0 ? 0 : -1}
                  onClick={() => onPick(emoji)}
                >
                  {emoji}
                </button>
              ))}
            </div>
          </section>
        ))}
      </div>
    </>
  )
}

function moveInGrid(event: KeyboardEvent): void {
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }
  const step = steps[event.key]
  const from = document.activeElement
  if (step === undefined || !(from instanceof HTMLElement)) return
  event.preventDefault()
  const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll('button')]
  let at = buttons.indexOf(from as HTMLButtonElement) + step
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    // The next one in the same column, however many a row has.
    while (Math.abs((buttons[at]?.offsetLeft ?? from.offsetLeft) - from.offsetLeft) > 2) at += step
  }
  buttons[at]?.focus()
}
