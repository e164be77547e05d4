import type { Store } from '@parley/client'
import { createValue } from './value.ts'

/** Where the user's day began, in milliseconds: it changes at midnight, and when a page that slept is seen again. */
export function createToday(): Store<number> {
  const startOfDay = () => new Date().setHours(0, 0, 0, 0)
  const today = createValue(startOfDay())
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    today.set(startOfDay())
    clearTimeout(timer)
    timer = setTimeout(look, new Date().setHours(24, 0, 0, 0) - Date.now())
  }
  look()
  document.addEventListener('visibilitychange', look)
  return today
}
