import type { Db } from '../connect.ts'
import { type MigrationDoc, migrationsCollection, tailsMigration } from '../schema.ts'

/** Whether new messages go into tails: not before every service is of a release that reads them. */
export interface TailSwitch {
  areOn(): Promise<boolean>
}

const lookEveryMS = 1_000

/** Once on they stay on; until then the database is asked at most once a second. */
export function createTailSwitch(db: Db): TailSwitch {
  let isOn = false
  let lookedAtMS = Number.NEGATIVE_INFINITY
  return {
    async areOn() {
      if (isOn || performance.now() < lookedAtMS + lookEveryMS) return isOn
      lookedAtMS = performance.now()
      const done = await db.mongo.collection<MigrationDoc>(migrationsCollection).findOne({ _id: tailsMigration })
      isOn = done !== null
      return isOn
    },
  }
}
