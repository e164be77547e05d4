import { lazyRouteComponent } from '@tanstack/react-router'
import { ApiFailure } from '../api.ts'

/** A view whose code loads on demand. On failure TanStack Router reloads the page, which offline shows nothing. */
export const lazyView: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    try {
      return await load()
    } catch (error) {
      throw navigator.onLine ? error : new ApiFailure(0, 'NETWORK', String(error))
    }
  }, name)
