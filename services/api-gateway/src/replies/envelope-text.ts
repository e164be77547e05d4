import { Readable } from 'node:stream'
import type { JsonText } from '@parley/chat/views/json-text'
import { okEnvelope } from '@parley/contracts/envelope'

/** Shorter results are sent whole, with their length; when making them fails, the client gets an error. */
const wholeBelow = 256 * 1024

/**
 * The response to a result that is JSON text already: text, or a stream when it is long, which makes each part when the
 * reader has taken the one before. A failure after the first part breaks the connection, so that the client notices.
 */
export function envelopeText({ whole, parts }: JsonText): string | Promise<string | Readable> {
  return whole === undefined ? envelopeParts(parts) : `${before}"result":${whole}${after}`
}

const [before, after] = JSON.stringify(okEnvelope(0)).split('"result":0')

async function envelopeParts(parts: JsonText['parts']): Promise<string | Readable> {
  const rest = enveloped(parts)
  let text = ''
  while (text.length < wholeBelow) {
    const { done, value } = await rest.next()
    if (done) return text
    text += value
  }
  return Readable.from(continued(text, rest), { objectMode: false })
}

async function* enveloped(parts: JsonText['parts']): AsyncGenerator<string, undefined> {
  yield `${before}"result":`
  yield* parts
  yield `${after}`
}

async function* continued(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}
