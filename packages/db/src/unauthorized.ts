import { MongoServerError } from 'mongodb'

/** Whether MongoDB refused a command because its user lacks the privilege. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 13
}
