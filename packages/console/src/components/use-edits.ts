import { useState } from 'react'

type Edits<Fields> = { [Name in keyof Fields]?: Edit<Fields[Name]> }

interface Edit<Value> {
  from: Value
  to: Value
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** A form's fields: the stored values, and over them the operator's edits. Only `edited` is saved. */
export function useEdits<Fields extends object>(stored: Fields) {
  const [edits, setEdits] = useState<Edits<Fields>>({})
  const entries = Object.entries(edits) as [keyof Fields, Edit<Fields[keyof Fields]>][]
  const edited = Object.fromEntries(entries.map(([name, { to }]) => [name, to])) as Partial<Fields>
  /** The stored values; of edited fields, those from before the edit. */
  const began = {
    ...stored,
    ...(Object.fromEntries(entries.map(([name, { from }]) => [name, from])) as Partial<Fields>),
  }
  const put = (some: Partial<Fields>) =>
    setEdits((now) => {
      const next = { ...now }
      for (const name of Object.keys(some) as (keyof Fields)[]) {
        const from = now[name] ? now[name].from : stored[name]
        const to = some[name] as Fields[typeof name]
        if (isSame(from, to)) delete next[name]
        else next[name] = { from, to }
      }
      return next
    })
  /** Drops the edits in this `edited`. Changes made since then, while it was saved, stay. */
  const saved = () =>
    setEdits((now) => {
      const next = { ...now }
      for (const [name, { from, to }] of entries) {
        // An edit undone meanwhile is no longer in `now`.
        const current = now[name] ? now[name].to : from
        if (isSame(current, to)) delete next[name]
        else next[name] = { from: to, to: current }
      }
      return next
    })
  const fields = { ...stored, ...edited }
  return { fields, put, edited, began, isEdited: entries.length > 0, saved }
}
