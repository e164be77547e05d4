import type { Db, Session } from '../db.ts'

/** Keeps the BSON type of every value, so that numbers are not narrowed. */
export const keepTypes = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const

/** The documents of a collection, as BSON. */
export function readRaw(
  { mongo }: Pick<Db, 'mongo'>,
  collection: string,
  options: { batchSize: number; session?: Session },
): AsyncIterable<Uint8Array> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- with `raw`, the driver returns documents as bytes
  return mongo
    .collection(collection)
    .find({}, { ...options, raw: true }) as AsyncIterable<unknown> as AsyncIterable<Uint8Array>
}
