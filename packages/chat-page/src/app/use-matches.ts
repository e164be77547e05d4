import { useEffect, useState } from 'preact/hooks'

/** From this width on, the room list is shown beside the room. Keep in sync with layout.css. */
export const hasListBeside = '(min-width: 720px)'

/** Whether a media query matches; rerenders on changes. */
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
