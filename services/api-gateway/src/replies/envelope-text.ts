import { Readable } from 'node:stream'
import type { JsonText } from '@parley/chat/views/json-text'
import { okEnvelope } from '@parley/contracts/envelope'

/** Shorter results are sent in one piece with Content-Length, so failures still get an error response. */
const wholeBelow = 256 * 1024

/**
 * The response for a result that is JSON text: a string, or for long results a stream that produces each part once the
 * previous one is read. A failure after the first part breaks the connection, so that the client notices.
 * @param checkCaller throws if the caller may no longer read; called before each later part, since reading may take long
 */
export function envelopeText(
  { whole, parts }: JsonText,
  checkCaller: () => Promise<unknown>,
): string | Promise<string | Readable> {
  return whole === undefined ? envelopeParts(parts, checkCaller) : `${before}"result":${whole}${after}`
}

const [before, after] = JSON.stringify(okEnvelope(0)).split('"result":0')

async function envelopeParts(
  parts: JsonText['parts'],
  checkCaller: () => Promise<unknown>,
): Promise<string | Readable> {
  const rest = enveloped(parts)
  let text = ''
  while (text.length < wholeBelow) {
    const { done, value } = await rest.next()
    if (done) return text
    text += value
  }
  return Readable.from(continued(text, rest, checkCaller), { objectMode: false })
}

async function* enveloped(parts: JsonText['parts']): AsyncGenerator<string, undefined> {
  yield `${before}"result":`
  yield* parts
  yield `${after}`
}

async function* continued(
  first: string,
  rest: AsyncGenerator<string>,
  checkCaller: () => Promise<unknown>,
): AsyncGenerator<string> {
  try {
    yield first
    for (;;) {
      await checkCaller()
      const { done, value } = await rest.next()
      if (done) return
      yield value
    }
  } finally {
    await rest.return(undefined)
  }
}
