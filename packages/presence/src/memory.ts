import type { Presence } from './connect.ts'

/** Redis's used and maximum memory in bytes; `maxBytes` is 0 if unlimited. @throws if Redis is down */
export async function readRedisMemory({ redis }: Presence): Promise<{ bytes: number; maxBytes: number }> {
  const text = await redis.info('memory')
  const figure = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(text)?.[1] ?? 0)
  return { bytes: figure('used_memory'), maxBytes: figure('maxmemory') }
}
