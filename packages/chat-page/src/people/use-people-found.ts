import type { Client, ParleyError, Sender } from '@parley/client'
import { useEffect, useRef, useState } from 'preact/hooks'

export type Person = Pick<Sender, '_id' | 'nickname' | 'avatarUrl'>

/** Keys come faster; the server is asked when they pause. */
const pauseMS = 150

interface Found {
  query: string
  people: readonly Person[]
  /** The server's refusal. */
  error?: ParleyError | undefined
}

/**
 * People whose names begin with a query, from the server, as it is written. The last result stays until the next one is there.
 * @param room only its members @param query undefined or empty: nothing is asked
 */
export function usePeopleFound(
  client: Client,
  query: string | undefined,
  { room, limit }: { room?: string | undefined; limit: number },
  learn: (people: readonly Person[]) => void,
): Found | undefined {
  const [found, setFound] = useState<Found>()
  const asked = useRef('')
  const wanted = query?.trim() ?? ''
  useEffect(() => {
    asked.current = wanted
    if (wanted === '') {
      setFound(undefined)
      return undefined
    }
    const show = (now: Omit<Found, 'query'>) => {
      if (asked.current === wanted) setFound({ query: wanted, ...now })
    }
    const ask = async () => {
      try {
        const { data } = await client.api.searchUsers({
          q: wanted.slice(0, 256),
          limit,
          ...(room !== undefined && { room }),
        })
        learn(data)
        show({ people: data })
      } catch (error) {
        show({ people: [], error: error as ParleyError })
      }
    }
    const timer = setTimeout(() => void ask(), pauseMS)
    return () => clearTimeout(timer)
  }, [client, wanted, room, limit])
  return found
}
