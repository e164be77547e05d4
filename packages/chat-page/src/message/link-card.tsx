import type { Client, RoomMessage } from '@parley/client'
import { useEffect, useState } from 'preact/hooks'
import { shownName } from '../app/shown-name.ts'
import { useChat, useStore } from '../state/chat.ts'
import { mayShow } from './image-origins.ts'

type Card = NonNullable<Awaited<ReturnType<Client['api']['getLinkCard']>>['card']>

/** Cards by message and text, so that an edit requests a new one. */
const known = new Map<string, Card | undefined>()
const mostKnown = 500
/** The server fetches a page after its message was sent, so new messages are asked again after these pauses. */
const pausesMS = [2_000, 6_000]
/** Older messages have their card already, or get none. */
const newMS = 60_000
const hasLink = /https?:\/\//iu

interface LinkCardProps {
  message: RoomMessage
  text: string
}

/**
 * The card of a message's first link, if the app enables link cards. Its picture is shown only from an allowed origin.
 */
export function LinkCard({ message, text }: LinkCardProps) {
  const { config, imageOrigins } = useChat()
  const card = useCard(message, text, useStore(config).linkCards && hasLink.test(text))
  if (!card || !URL.canParse(card.url) || !/^https?:$/.test(new URL(card.url).protocol)) return null
  const image = card.image !== undefined && mayShow(card.image, imageOrigins) ? card.image : undefined
  return (
    <a class="link-card" dir="auto" href={card.url} target="_blank" rel="noopener noreferrer nofollow">
      {image !== undefined && <img src={image} alt="" loading="lazy" referrerpolicy="no-referrer" />}
      <small dir="ltr">{new URL(card.url).host}</small>
      <b>{shownName(card.title)}</b>
      {card.description !== undefined && <span>{card.description}</span>}
    </a>
  )
}

function useCard({ _id, state, messageTimeMS }: RoomMessage, text: string, isWanted: boolean): Card | undefined {
  const { client } = useChat()
  const name = `${_id} ${text}`
  const [, setRead] = useState(0)
  useEffect(() => {
    if (!isWanted || state !== 'sent' || known.has(name)) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const isNew = Date.now() - messageTimeMS < newMS
    const ask = async (tries: number) => {
      // On failure, the message has no card until it is shown again.
      const found = await client.api.getLinkCard({ id: _id }).catch(() => undefined)
      if (isOver || !found) return
      const pause = pausesMS[tries]
      if (!found.card && isNew && pause !== undefined) {
        timer = setTimeout(() => void ask(tries + 1), pause)
        return
      }
      if (known.size >= mostKnown) known.clear()
      known.set(name, found.card)
      setRead((n) => n + 1)
    }
    void ask(0)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [name, state, isWanted])
  return isWanted ? known.get(name) : undefined
}
