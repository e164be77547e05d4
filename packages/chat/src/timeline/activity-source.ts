import type { TimelineKind } from '@parley/contracts/resources/timeline-entry'
import { key } from '@parley/db/keys'
import type { UserActivity } from './ask-processes.ts'
import type { Source } from './merge-sources.ts'
import type { TimelineRecord } from './records.ts'

export function activitySource(
  { activity, live, connected }: Omit<UserActivity, 'silent'>,
  isShown: (kind: TimelineKind) => boolean,
): Source<TimelineRecord> {
  const known = new Set(
    connected
      .filter(({ untilMS }) => untilMS !== undefined)
      .map(({ node, device, sinceMS }) => key(node, device, `${sinceMS}`)),
  )
  const isLive = new Map(live.map(({ node, connection }) => [key(node, connection.device), connection]))
  const past = activity.filter(({ node, entry }) => {
    if (!isShown(entry.what === 'refused' ? 'refusal' : 'connection')) return false
    // The login of a live connection is shown as that connection.
    const isPast = known.has(key(node, entry.device ?? '', `${entry.atMS}`))
    return entry.what !== 'connected' || isPast || !isLive.has(key(node, entry.device ?? ''))
  })
  const idOf = createIds()
  const records = [
    ...past.map(({ node, entry }) => ({
      atMS: entry.atMS,
      id: idOf(entry.atMS, node, entry.what, entry.device),
      record: { of: 'activity' as const, node, activity: entry },
    })),
    ...(isShown('connection') ? live : []).map(({ node, connection: { device, transport, sinceMS } }) => ({
      atMS: sinceMS,
      id: idOf(sinceMS, node, 'connected', device),
      record: { of: 'live' as const, node, device, transport, sinceMS },
    })),
  ]
  return { read: () => Promise.resolve(records) }
}

/** IDs from the entries themselves: between two pages, nodes forget entries, learn others, and a connection ends. */
function createIds(): (atMS: number, node: string, what: string, device: string | undefined) => string {
  const counts = new Map<string, number>()
  return (atMS, node, what, device = '') => {
    const id = `${node} ${what} ${device}`
    const same = key(id, `${atMS}`)
    const number = counts.get(same) ?? 0
    counts.set(same, number + 1)
    return `${id} ${number}`
  }
}
