import type { Room, RoomInfo } from '@parley/client'
import { useChat } from '../state/chat.ts'
import { fullTime } from './times.ts'

const hourMS = 3_600_000

/** The room's notification settings: which messages, and a temporary mute. */
export function NotifySettings({ room, info }: { room: Room; info: RoomInfo }) {
  const { texts, lang, attempt } = useChat()
  const { notifying: notify } = texts
  const { muteUntilMS = 0, ...settings } = info.notifications ?? {}
  const isForNow = muteUntilMS > Date.now()
  const kept = isForNow ? { ...settings, muteUntilMS } : settings
  const setLevel = (chosen: string) => {
    const { level: _before, ...rest } = kept
    const level = (['all', 'mentions', 'none'] as const).find((one) => one === chosen)
    void attempt(() => room.setNotifications(level ? { ...rest, level } : rest))
  }
  const muteFor = (hours: string) =>
    void attempt(async () => {
      const isAlways = hours === 'always'
      if (isAlways !== (info.muted === true)) await (isAlways ? room.mute() : room.unmute())
      const until = Number(hours) > 0 ? { muteUntilMS: Date.now() + Number(hours) * hourMS } : {}
      await room.setNotifications({ ...settings, ...until })
    })
  return (
    <div class="notify-settings">
      <label>
        {notify.about}
        <select value={settings.level ?? ''} onChange={(event) => setLevel(event.currentTarget.value)}>
          <option value="">{notify.usual}</option>
          <option value="all">{notify.all}</option>
          <option value="mentions">{notify.mentions}</option>
          <option value="none">{notify.none}</option>
        </select>
      </label>
      <label>
        {texts.mute}
        <select
          value={info.muted ? 'always' : isForNow ? 'now' : '0'}
          onChange={(event) => muteFor(event.currentTarget.value)}
        >
          <option value="0">{notify.notMuted}</option>
          {isForNow && (
            <option value="now" disabled>
              {fullTime(muteUntilMS, lang)}
            </option>
          )}
          <option value="1">{notify.hour}</option>
          <option value="8">{notify.hours}</option>
          <option value="always">{notify.always}</option>
        </select>
      </label>
    </div>
  )
}
