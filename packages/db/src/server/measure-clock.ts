import { clock } from '@parley/async/clock'
import type { Db } from 'mongodb'

/** Corrects this process's clock by the primary's. @throws the driver's error if the primary does not respond */
export async function measureClock(mongo: Db): Promise<void> {
  const [askedMS, askedAt] = [Date.now(), performance.now()]
  const { localTime } = (await mongo.command({ hello: 1 })) as { localTime: Date }
  clock.correct({ askedMS, roundTripMS: performance.now() - askedAt, readMS: localTime.getTime() })
}
