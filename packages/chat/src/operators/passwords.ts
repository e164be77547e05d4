import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { forKeys, limitPerApp } from '../limit-per-app.ts'

/** From the OWASP Password Storage Cheat Sheet. The library defaults to argon2id. Memory is in KiB. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashes passwords (argon2id), a few at a time, since each takes 20 ms of a core and 19 MiB. */
export function createPasswords() {
  const inTurn = limitPerApp('sign-ins', { ...forKeys(2), inAll: 2, waiting: 100, waitMS: 5_000 })
  const limited = <T>(work: () => Promise<T>) => inTurn({ app: '' }, work)
  let dummyHash: Promise<string> | undefined

  return {
    /** @throws ApiError TOO_MANY_REQUESTS if too many are waiting */
    hash: (password: string) => limited(() => hash(password, cost)),
    /** Takes equally long without a hash, so that timing does not reveal which accounts exist. */
    async matches(password: string, hashed: string | undefined) {
      dummyHash ??= hash(randomBytes(32), cost)
      const compared = hashed ?? (await dummyHash)
      const isRight = await limited(() => verify(compared, password))
      return isRight && hashed !== undefined
    },
  }
}
export type Passwords = ReturnType<typeof createPasswords>
