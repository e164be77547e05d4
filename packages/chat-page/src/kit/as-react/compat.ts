import { useSyncExternalStore as useReactStore } from 'react'

export { memo } from 'react'

type Use = <T>(subscribe: (onChange: () => void) => () => void, get: () => T, getOnServer?: () => T) => T

/** A server has no chat: it renders with what there is. */
export const useSyncExternalStore: Use = (subscribe, get) => useReactStore(subscribe, get, get)
