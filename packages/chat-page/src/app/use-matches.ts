import { useEffect, useState } from 'preact/hooks'

/** From here on the list of rooms stands beside the room; layout.css has the same. */
export const hasListBeside = '(min-width: 720px)'

/** Whether a media query holds, as it changes. */
export function useMatches(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const list = matchMedia(query)
    const look = () => setMatches(list.matches)
    look()
    list.addEventListener('change', look)
    return () => list.removeEventListener('change', look)
  }, [query])
  return matches
}
