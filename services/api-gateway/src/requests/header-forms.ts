import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'

/**
 * The possible meanings of a header's value, in the order to try: as sent, then percent-decoded if that differs
 * (docs/reference/README.md#authentication), since `s%3Aabc` may itself be a token. Empty if it was not sent.
 */
export function headerForms(request: FastifyRequest, name: string): string[] {
  const value = request.headers[name]
  if (typeof value !== 'string' || value === '') return []
  if (isPlain.test(value)) return [value]
  const sent = asUtf8(value)
  const decoded = percentDecoded(sent)
  return decoded === sent ? [sent] : [sent, decoded]
}

/** ASCII without `%`: it has one meaning. */
const isPlain = /^[\u0020-\u0024\u0026-\u007e]*$/

/** Node reads the bytes of a header as Latin-1. */
function asUtf8(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : value
}

/** Returns the text unchanged if its `%` do not encode UTF-8. */
function percentDecoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
