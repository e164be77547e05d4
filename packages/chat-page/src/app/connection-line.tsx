import { useEffect, useState } from 'preact/hooks'
import { useChat, useStore } from '../state/chat.ts'
import { Button } from './button.tsx'

/** Most connections are back within this time. */
const maxWaitMS = 1_500

/** Reports a connection loss that lasts longer than a moment, or the end of the session. */
export function ConnectionLine() {
  const { client, texts } = useChat()
  const { status } = useStore(client.connection)
  const isKnown = useStore(client.me) !== undefined
  const isOver = status === 'stopped'
  const isAway = !isOver && status !== 'online' && (isKnown || status === 'waiting')
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(isAway), isAway ? maxWaitMS : 0)
    return () => clearTimeout(timer)
  }, [isAway])
  return (
    <div class="connection" role="status">
      {isShown && isAway && <p>{status === 'waiting' ? texts.offline : texts.reconnecting}</p>}
      {isOver && (
        <p>
          <strong>{texts.signedOut}.</strong> {texts.signedOutHint}{' '}
          <Button class="link" onClick={() => client.connect()} label={texts.retry} />
        </p>
      )}
    </div>
  )
}
