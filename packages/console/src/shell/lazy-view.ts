import { lazyRouteComponent } from '@tanstack/react-router'
import { ApiFailure } from '../api.ts'

/**
 * A view whose code loads on demand. TanStack Router reloads the page if that fails; offline, the browser would then have no
 * console to show.
 */
export const lazyView: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    try {
      return await load()
    } catch (error) {
      throw navigator.onLine ? error : new ApiFailure(0, 'NETWORK', String(error))
    }
  }, name)
