import type { Presence } from './connect.ts'

/** The memory of Redis, in bytes; `maxBytes` is 0 without a bound. @throws when Redis is away */
export async function readRedisMemory({ redis }: Presence): Promise<{ bytes: number; maxBytes: number }> {
  const text = await redis.info('memory')
  const figure = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(text)?.[1] ?? 0)
  return { bytes: figure('used_memory'), maxBytes: figure('maxmemory') }
}
