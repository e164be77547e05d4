import { ApiError } from '@parley/contracts/errors'

/** A message of a thread names the message that it replies to. @throws ApiError MISSING_PARAMETER */
export function requireReply(thread: boolean | undefined, replyTo: string | undefined): void {
  if (thread && replyTo === undefined) throw new ApiError('MISSING_PARAMETER', 'replyTo is required with thread')
}
