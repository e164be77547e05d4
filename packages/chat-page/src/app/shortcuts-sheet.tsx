import { useChat } from '../state/chat.ts'
import { Dialog } from './dialog.tsx'
import { isMac } from './shortcuts.ts'

export function ShortcutsSheet({ onClose }: { onClose: () => void }) {
  const { texts } = useChat()
  const { shortcuts } = texts
  const { enter, shift, escape } = shortcuts.keys
  const command = isMac() ? '⌘' : shortcuts.keys.control
  const alt = isMac() ? '⌥' : 'Alt'
  const rows: readonly (readonly [name: string, ...keys: string[]])[] = [
    [texts.send, enter],
    [shortcuts.newLine, shift, enter],
    [shortcuts.editLast, '↑'],
    [shortcuts.mention, '@'],
    [shortcuts.cancel, escape],
    [shortcuts.messages, '↑', '↓'],
    [shortcuts.menu, enter],
    [texts.searchRooms, command, 'K'],
    [shortcuts.previousRoom, alt, '↑'],
    [shortcuts.nextRoom, alt, '↓'],
    [shortcuts.help, command, '/'],
  ]
  return (
    <Dialog title={shortcuts.title} isSheet onClose={onClose}>
      <dl class="shortcuts">
        {rows.map(([name, ...keys]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="ltr">
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
