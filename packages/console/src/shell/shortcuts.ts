import { useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { views } from './navigation.ts'

/** How long after `g` the key of a view counts. */
const sequenceMS = 1_500

/** `/` searches in the view, `g` and a letter goes to a view, Ctrl+K to anything, `?` shows them all. */
export function useShortcuts({
  app,
  onGo,
  onHelp,
}: {
  app: string | undefined
  onGo: () => void
  onHelp: () => void
}): void {
  const navigate = useNavigate()
  const begun = useRef(0)
  const ofViews = views.map(({ key, to }): [string, () => void] => [
    key,
    () => {
      if (app !== undefined && performance.now() - begun.current < sequenceMS) void navigate({ to, params: { app } })
    },
  ])
  useHotkeys([
    ['mod+K', onGo],
    ['shift+?', onHelp],
    ['/', () => document.querySelector<HTMLInputElement>('main [data-search-field]')?.focus()],
    ['g', () => (begun.current = performance.now())],
    ...ofViews,
  ])
}
