import { ApiError } from '@parley/contracts/errors'
import { unfitJson } from '@parley/contracts/free-json'
import { maxMessageBytes } from '@parley/contracts/resources/message'

/** The JSON text of a message's content. @throws ApiError MESSAGE_TOO_LARGE, INVALID_BODY */
export function contentOf(message: unknown): string {
  const unfit = unfitJson(message, 0)
  if (unfit) throw new ApiError('INVALID_BODY', `message: ${unfit}`)
  const content = JSON.stringify(message)
  if (Buffer.byteLength(content) > maxMessageBytes) {
    throw new ApiError('MESSAGE_TOO_LARGE', `message is over ${maxMessageBytes} bytes as JSON`)
  }
  return content
}
