import { useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { views } from './navigation.ts'

/** How long after `g` a view's key is accepted. */
const sequenceMS = 1_500

const toSearch = () => document.querySelector<HTMLInputElement>('main [data-search-field]')?.focus()

/** `/` searches the view, `g` and a letter go to a view, Ctrl+K goes to anything, `?` lists the shortcuts. */
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
    // Depending on the keyboard, these characters need Shift.
    ...['?', 'shift+?'].map((key): [string, () => void] => [key, onHelp]),
    ...['/', 'shift+/'].map((key): [string, () => void] => [key, toSearch]),
    ['g', () => (begun.current = performance.now())],
    ...ofViews,
  ])
}
