import type { Client, ParleyError } from '@parley/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Person } from '../state/people.ts'

/** Debounces searches while the user types. */
const pauseMS = 150

interface Found {
  query: string
  people: readonly Person[]
  /** Why the search failed. */
  error?: ParleyError | undefined
}

/**
 * Searches the server for people whose names start with a query, as it is typed. The last result stays until the next one.
 * @param room limits the search to its members
 * @param query undefined or empty for no search
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
