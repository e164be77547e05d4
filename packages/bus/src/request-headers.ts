import { headers, type MsgHdrs } from '@nats-io/nats-core'

/** A header that holds JSON, with non-ASCII and control characters escaped. */
export function requestHeaders(name: string, value: unknown): MsgHdrs {
  const set = headers()
  set.set(name, escapeBeyondAscii(JSON.stringify(value)))
  return set
}

function escapeBeyondAscii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
