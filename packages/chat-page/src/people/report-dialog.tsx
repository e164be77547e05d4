import type { RoomMessage } from '@parley/client'
import { useState } from 'preact/hooks'
import { Button } from '../app/button.tsx'
import { Dialog } from '../app/dialog.tsx'
import { useChat } from '../state/chat.ts'
import { nameOf } from '../state/people.ts'
import { block } from './block.ts'

const reasons = ['spam', 'harassment', 'violence', 'other'] as const

/** Reports a message to the app's moderators, with a reason, and optionally blocks its sender. */
export function ReportDialog({ message, onClose }: { message: RoomMessage; onClose: () => void }) {
  const { client, texts, attempt, notices } = useChat()
  const [reason, setReason] = useState<(typeof reasons)[number]>('spam')
  const [details, setDetails] = useState('')
  const [isBlocking, setBlocking] = useState(false)
  const report = async () => {
    const isDone = await attempt(async () => {
      // The reason is not translated, so that moderators can read it.
      const words = details.trim() === '' ? reason : `${reason}: ${details.trim()}`
      await client.api.reportMessage({ id: message._id, reason: words.slice(0, 500) })
      if (isBlocking) await block(client, message.sender._id)
    })
    if (!isDone) return
    notices.show(texts.people.reported)
    onClose()
  }
  return (
    <Dialog title={texts.people.reportTitle} onClose={onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault()
          void report()
        }}
      >
        <fieldset class="choices">
          <legend class="visually-hidden">{texts.people.reportTitle}</legend>
          {reasons.map((one) => (
            <label key={one}>
              <input type="radio" name="reason" checked={one === reason} onChange={() => setReason(one)} />
              {texts.people.reasons[one]}
            </label>
          ))}
        </fieldset>
        <textarea
          enterkeyhint="enter"
          rows={3}
          maxLength={400}
          aria-label={texts.people.reportDetails}
          placeholder={texts.people.reportDetails}
          value={details}
          onInput={(event) => setDetails(event.currentTarget.value)}
        />
        <label class="choice">
          <input type="checkbox" checked={isBlocking} onChange={() => setBlocking(!isBlocking)} />
          {texts.people.alsoBlock(nameOf(message.sender))}
        </label>
        <div class="dialog-actions">
          <Button class="button" onClick={onClose} label={texts.cancel} />
          <Button type="submit" class="button danger" label={texts.people.report} />
        </div>
      </form>
    </Dialog>
  )
}
