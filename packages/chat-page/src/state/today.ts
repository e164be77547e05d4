import type { Store } from '@parley/client'
import { createValue } from './value.ts'

/** The start of the user's day, in milliseconds. Updated at midnight, and when a suspended page becomes visible. */
export function createToday(): Store<number> & { close: () => void } {
  const startOfDay = () => new Date().setHours(0, 0, 0, 0)
  const { get, subscribe, set } = createValue(startOfDay())
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    set(startOfDay())
    clearTimeout(timer)
    timer = setTimeout(look, new Date().setHours(24, 0, 0, 0) - Date.now())
  }
  look()
  document.addEventListener('visibilitychange', look)
  return {
    ...{ get, subscribe },
    close() {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
    },
  }
}
