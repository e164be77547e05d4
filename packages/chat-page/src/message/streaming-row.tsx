import type { LiveText } from '@parley/client'
import { Avatar, hueOf } from '../app/avatar.tsx'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf } from '../state/people.ts'
import { MessageText } from './message-text.tsx'

/** A robot's streamed text as it arrives. */
export function StreamingRow({ live }: { live: LiveText }) {
  const { people, texts } = useChat()
  const person = useStore(people.known).get(live.user)
  const name = person ? nameOf(person) : texts.somebody
  return (
    <article class="message theirs starts ends is-live" aria-label={name} aria-busy="true">
      <div class="side-avatar">
        <Avatar id={live.user} name={name} url={person?.avatarUrl} isSmall />
      </div>
      <div class="column">
        <div class="sender">
          <bdi class={hueOf(live.user)}>{name}</bdi>
          <span class="tag">{texts.robot}</span>
        </div>
        <div class="line">
          <div class="bubble">
            <div class="content" dir="auto">
              <MessageText text={live.text} />
              <span class="caret" aria-hidden="true" />
            </div>
          </div>
        </div>
      </div>
    </article>
  )
}
