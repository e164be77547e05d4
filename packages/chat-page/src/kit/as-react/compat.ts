import { useSyncExternalStore as useReactStore } from 'react'

export { memo } from 'react'

type Use = <T>(subscribe: (onChange: () => void) => () => void, get: () => T, getOnServer?: () => T) => T

/** Uses the client's value on the server too. */
export const useSyncExternalStore: Use = (subscribe, get) => useReactStore(subscribe, get, get)
