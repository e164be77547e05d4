/** Decodes an event's payload: base64 of its JSON, if `conf` selected that (docs/reference/socket.md#connect). */
export function decodeEvent(payload: unknown, encoding: 'plain' | 'base64'): unknown {
  if (encoding === 'plain' || typeof payload !== 'string') return payload
  const bytes = Uint8Array.from(atob(payload), (character) => character.codePointAt(0) ?? 0)
  return JSON.parse(new TextDecoder().decode(bytes)) as unknown
}
