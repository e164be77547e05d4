import type { Client, RoomMessage, Store } from '@parley/client'
import { createValue } from '../state/value.ts'
import type { MentionRange } from './mention-ranges.ts'

/** A message being written. Its files are the uploads about the same ID. */
interface Draft {
  text: string
  mentions: readonly MentionRange[]
  /** The message being replied to. */
  reply?: RoomMessage | undefined
  /** The message being edited meanwhile; not stored. */
  edit?: RoomMessage | undefined
}

/** The user's drafts by room or thread ID. */
export interface Drafts {
  of: (id: string) => Store<Draft>
  change: (id: string, now: Partial<Draft>) => void
  /** Unsubscribes from the client. */
  close: () => void
}

type Value = ReturnType<typeof createValue<Draft>>

const nothing: Draft = { text: '', mentions: [] }
const isEmpty = ({ text, reply }: Draft) => text === '' && reply === undefined
const withoutEdit = (draft: Draft): Draft => ({ ...draft, edit: undefined })

/** @param storage keeps drafts across reloads; if it fails, drafts last as long as the page */
export function createDrafts({ me, clientKey }: Pick<Client, 'me' | 'clientKey'>, storage?: Storage): Drafts {
  const values = new Map<string, Value>()
  let user: string | undefined

  const of = (id: string): Value => {
    const value = values.get(id) ?? createValue(nothing)
    values.set(id, value)
    return value
  }
  const key = () => `parley.drafts.${clientKey.get()}.${user}`

  const close = me.subscribe((now) => {
    if (!now || now._id === user) return
    user = now._id
    for (const value of values.values()) value.set(nothing)
    for (const [id, draft] of Object.entries(read(storage, key()))) of(id).set({ ...nothing, ...draft })
  })
  return {
    ...{ of, close },
    change(id, now) {
      const draft = { ...of(id).get(), ...now }
      of(id).set(isEmpty(draft) && draft.edit === undefined ? nothing : draft)
      const kept = [...values].map(([id, value]) => [id, withoutEdit(value.get())] as const)
      write(storage, key(), Object.fromEntries(kept.filter(([, draft]) => !isEmpty(draft))))
    },
  }
}

function read(storage: Storage | undefined, key: string): Record<string, Draft> {
  try {
    return JSON.parse(storage?.getItem(key) ?? '{}') as Record<string, Draft>
  } catch {
    return {}
  }
}

function write(storage: Storage | undefined, key: string, drafts: Record<string, Draft>): void {
  try {
    storage?.setItem(key, JSON.stringify(drafts))
  } catch {
    // The storage is full: drafts last as long as the page.
  }
}
