import { IconButton } from '../app/button.tsx'
import { useChat, useStore } from '../state/chat.ts'
import type { Notifications } from '../state/notifications.ts'

/** Turns notifications on or off, if the browser supports them. */
export function NotifyButton({ notifications }: { notifications: Notifications }) {
  const { texts } = useChat()
  const isOn = useStore(notifications.isOn)
  const mayNotify = useStore(notifications.isPossible)
  const label = isOn ? texts.notifyOff : texts.notify
  if (!mayNotify) return null
  return (
    <IconButton
      icon={isOn ? 'bell' : 'bellOff'}
      aria-pressed={isOn}
      label={label}
      title={label}
      onClick={() => void notifications.turn(!isOn)}
    />
  )
}
