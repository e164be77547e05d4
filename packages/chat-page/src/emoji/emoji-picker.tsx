import type emojis from 'virtual:emoji/en'
import { useMemo, useState } from 'preact/hooks'
import { useChat } from '../state/chat.ts'
import { groupBy } from '../state/group-by.ts'
import { storageOf } from '../state/storage.ts'
import { toned, tones } from './tones.ts'

export type Emojis = typeof emojis

interface EmojiPickerProps {
  emojis: Emojis
  onPick: (emoji: string) => void
}

/** Unicode's emoji groups by number. Group 2 has components, such as skin tones. */
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

/** A search field and a grid with arrow-key navigation. */
export function EmojiPicker({ emojis, onPick }: EmojiPickerProps) {
  const { texts, direction } = useChat()
  const [query, setQuery] = useState('')
  const [tone, setTone] = useTone()
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
      <div class="emoji-head">
        <input
          type="search"
          enterkeyhint="search"
          class="emoji-search"
          aria-label={texts.searchEmoji}
          placeholder={texts.searchEmoji}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <select
          aria-label={texts.skinTone}
          title={texts.skinTone}
          value={tone}
          onChange={(event) => setTone(event.currentTarget.value)}
        >
          {['', ...tones].map((one) => (
            <option key={one} value={one} aria-label={emojis.find(([emoji]) => emoji === one)?.[2]}>
              {toned('✋', one)}
            </option>
          ))}
        </select>
      </div>
      <div class="emojis" onKeyDown={(event) => moveInGrid(event, direction === 'rtl' ? -1 : 1)}>
        {groups.length === 0 && <p class="soft">{texts.noMatch}</p>}
        {groups.map(([group, found], nth) => (
          <section key={group}>
            <h3>{texts.emojiGroups[groupNames[group] ?? 'symbols']}</h3>
            <div class="emoji-grid">
              {found.map(([emoji, , name, , hasTones], n) => {
                const shown = hasTones ? toned(emoji, tone) : emoji
                return (
                  <button
                    key={emoji}
                    type="button"
                    aria-label={name}
                    title={name}
                    tabIndex={nth === 0 && n === 0 ? 0 : -1}
                    onClick={() => onPick(shown)}
                  >
                    {shown}
                  </button>
                )
              })}
            </div>
          </section>
        ))}
      </div>
    </>
  )
}

/** The user's skin tone, remembered if the browser allows it. */
function useTone() {
  const storage = storageOf('localStorage')
  const key = 'parley.skinTone'
  const [tone, setTone] = useState(() => tones.find((one) => one === storage?.getItem(key)) ?? '')
  const choose = (chosen: string) => {
    setTone(tones.find((one) => one === chosen) ?? '')
    try {
      storage?.setItem(key, chosen)
    } catch {
      // The storage is full: the tone lasts as long as the picker.
    }
  }
  return [tone, choose] as const
}

/** @param forward step of the right arrow: 1, or -1 in right-to-left text */
function moveInGrid(event: KeyboardEvent, forward: 1 | -1): void {
  const steps: Record<string, number> = { ArrowRight: forward, ArrowLeft: -forward, ArrowDown: 1, ArrowUp: -1 }
  const step = steps[event.key]
  const from = document.activeElement
  if (step === undefined || !(from instanceof HTMLElement)) return
  event.preventDefault()
  const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll('button')]
  let at = buttons.indexOf(from as HTMLButtonElement) + step
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    // Find the next one in the same column, however many a row has.
    while (Math.abs((buttons[at]?.offsetLeft ?? from.offsetLeft) - from.offsetLeft) > 2) at += step
  }
  buttons[at]?.focus()
}
