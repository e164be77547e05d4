import { MongoBulkWriteError, MongoServerError } from 'mongodb'

/** Error codes of MongoDB (github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml). */
export const errorCodes = {
  Unauthorized: 13,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  ImmutableField: 66,
  WriteConflict: 112,
  SnapshotTooOld: 239,
  SnapshotUnavailable: 246,
  NoSuchTransaction: 251,
  BSONObjectTooLarge: 10_334,
  DuplicateKey: 11_000,
  Interrupted: 11_601,
} as const

export function isServerError(error: unknown, ...names: (keyof typeof errorCodes)[]): error is MongoServerError {
  return error instanceof MongoServerError && names.some((name) => error.code === errorCodes[name])
}

/** Runs an insert, ignoring documents whose key exists. Returns false if there were any. */
export async function ignoreDuplicates(insert: Promise<unknown>): Promise<boolean> {
  try {
    await insert
    return true
  } catch (error) {
    const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [error as MongoServerError]
    if (failures.length === 0 || failures.some(({ code }) => code !== errorCodes.DuplicateKey)) throw error
    return false
  }
}

/** A query exceeded its time limit. */
export class QueryTooSlow extends Error {
  override name = 'QueryTooSlow'
}

/** MongoDB's error codes for a regular expression that is invalid, or exceeds its limits. */
export const unreadablePattern = [2, 51_091, 51_108, 51_156]

/**
 * Converts MaxTimeMSExpired to QueryTooSlow, and returns other errors unchanged.
 * @param codes further codes to convert
 */
export function asTooSlow(error: unknown, codes: readonly number[] = []): unknown {
  const isOver =
    error instanceof MongoServerError && [errorCodes.MaxTimeMSExpired, ...codes].includes(Number(error.code))
  return isOver ? new QueryTooSlow('the query took too long', { cause: error }) : error
}
