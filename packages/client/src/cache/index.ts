export type { Page } from '../rooms/timeline.ts'
export type { CachedState, ClientCache } from './client-cache.ts'
export { type CacheOptions, createCache } from './create-cache.ts'
export { type CacheStorage, indexedDBStorage } from './storage.ts'
