import type { RoomMessage } from '@parley/client'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../app/button.tsx'
import { Icon } from '../app/icon.tsx'
import { onDemand } from '../app/on-demand.tsx'
import { EmojiDialog } from '../emoji/emoji-dialog.tsx'
import { toggleReaction } from '../emoji/toggle-reaction.ts'
import type { Asked } from '../people/message-question.tsx'
import { useChat, useStore } from '../state/chat.ts'
import { type MenuParts, menuActions } from './menu-actions.ts'

export interface OpenMenu {
  /** The message's state when the menu was opened. */
  message: RoomMessage
  /** Where it was opened. */
  anchor: DOMRect
}

interface MessageMenuProps extends Pick<MenuParts, 'room' | 'thread' | 'onAbout' | 'onThread'> {
  menu: OpenMenu
  onClose: () => void
}

const emojis = ['👍', '❤️', '😂', '😮', '😢', '🙏']

const MessageQuestion = onDemand(async () => (await import('../people/message-question.tsx')).MessageQuestion)

/** The actions on a message: beside it, or as a bottom sheet on a phone. */
export function MessageMenu({ menu: { message: opened, anchor }, onClose, ...parts }: MessageMenuProps) {
  const { client, texts, attempt, notices } = useChat()
  const { room, thread } = parts
  const message = useStore((thread ?? room).messages).find(({ key }) => key === opened.key) ?? opened
  const me = useStore(client.me)?._id ?? ''
  const info = useStore(room.info)
  const element = useRef<HTMLDivElement>(null)
  const [asked, setAsked] = useState<Asked>()
  const [isPicking, setPicking] = useState(false)
  useLayoutEffect(() => {
    const before = document.activeElement
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  // The actions change once a pending message is sent.
  useLayoutEffect(() => {
    const box = element.current
    if (!box) return
    place(box, anchor)
    box.querySelector<HTMLElement>('[role="menuitem"]')?.focus()
  }, [message.state])

  if (asked) return <MessageQuestion {...{ asked, room, message, onClose }} />
  const run = (action: () => unknown) => {
    onClose()
    void attempt(async () => action())
  }
  const isSent = message.state === 'sent'
  const toggle = (emoji: string) => {
    run(() => toggleReaction(room, message, me, emoji))
  }
  if (isPicking) return <EmojiDialog onPick={toggle} onClose={onClose} />
  const actions = menuActions({ ...parts, info, message, me, texts, onCopied: () => notices.show(texts.copied) })
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it
    <div class="menu-back" onClick={onClose}>
      <div
        ref={element}
        class="menu"
        role="menu"
        aria-label={texts.actions}
        onClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => moveInMenu(event, onClose)}
      >
        {isSent && <QuickEmojis onPick={toggle} onMore={() => setPicking(true)} />}
        {actions.map(({ name, icon, act, ask, isDanger }) => (
          <Button
            key={name}
            role="menuitem"
            class={isDanger ? 'danger' : undefined}
            icon={icon}
            onClick={() => (ask ? setAsked(ask) : run(act))}
            label={name}
          />
        ))}
      </div>
    </div>
  )
}

/** Common reactions, and a button for all others. */
function QuickEmojis({ onPick, onMore }: { onPick: (emoji: string) => void; onMore: () => void }) {
  const { texts } = useChat()
  return (
    <div class="menu-emojis" role="group">
      {emojis.map((emoji) => (
        <button key={emoji} type="button" role="menuitem" aria-label={texts.react(emoji)} onClick={() => onPick(emoji)}>
          {emoji}
        </button>
      ))}
      <button type="button" role="menuitem" aria-label={texts.moreEmojis} onClick={onMore}>
        <Icon name="smile" />
      </button>
    </div>
  )
}

/** Places the menu below its anchor, or above if there is no space. On a phone, CSS puts it at the bottom. */
function place(box: HTMLElement, anchor: DOMRect): void {
  const { width, height } = box.getBoundingClientRect()
  const gap = 8
  const below = anchor.bottom + gap
  const top = below + height > window.innerHeight - gap ? anchor.top - height - gap : below
  const left = Math.min(Math.max(anchor.left - width / 2, gap), window.innerWidth - width - gap)
  box.style.setProperty('--menu-top', `${Math.max(top, gap)}px`)
  box.style.setProperty('--menu-left', `${left}px`)
}

function moveInMenu(event: KeyboardEvent, onClose: () => void): void {
  if (event.key === 'Escape' || event.key === 'Tab') {
    event.preventDefault()
    return onClose()
  }
  const steps: Record<string, number> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }
  const step = steps[event.key]
  if (step === undefined) return
  event.preventDefault()
  const items = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role="menuitem"]')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  items[(at + step + items.length) % items.length]?.focus()
}
