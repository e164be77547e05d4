import { ApiError, type ErrorCode, type ErrorDetails } from '@parley/contracts/errors'
import type { OwnCloseReason } from '@parley/contracts/socket/close-reasons'

/** An error that closes the socket: its client exceeded a limit. */
export class Dismissal extends ApiError {
  override name = 'Dismissal'
  /** The limit's name in the metrics. */
  readonly limit: string
  readonly reason: OwnCloseReason

  constructor(
    code: ErrorCode,
    message: string,
    { limit, reason }: { limit: string; reason: OwnCloseReason },
    details: ErrorDetails = {},
  ) {
    super(code, message, { details })
    this.limit = limit
    this.reason = reason
  }
}
