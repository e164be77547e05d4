import type { RoomMessage } from '@parley/client'
import { useMemo, useRef } from 'preact/hooks'
import { type Row, toRows } from './rows.ts'

/** The list's rows. Unchanged rows keep their identity, so that only changed ones rerender. */
export function useRows(messages: readonly RoomMessage[], firstUnread: string | undefined): readonly Row[] {
  const before = useRef(new Map<string, Row>())
  return useMemo(() => {
    const rows = toRows(messages, firstUnread).map((row) => {
      const known = before.current.get(row.message.key)
      return known && isSame(known, row) ? known : row
    })
    before.current = new Map(rows.map((row) => [row.message.key, row]))
    return rows
  }, [messages, firstUnread])
}

function isSame(one: Row, other: Row): boolean {
  return (
    one.message === other.message &&
    one.startsDay === other.startsDay &&
    one.isFirstUnread === other.isFirstUnread &&
    one.startsGroup === other.startsGroup &&
    one.endsGroup === other.endsGroup
  )
}
