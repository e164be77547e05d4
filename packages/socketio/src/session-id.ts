import { randomBytes } from 'node:crypto'

/** 120 random bits, 20 characters safe in a URL. */
export function randomId(): string {
  return randomBytes(15).toString('base64url')
}

/** A session ID that says which node holds the session: `<node>.<random>`, or only the random part without a node. */
export function newSessionId(nodeId: string | undefined): string {
  return nodeId === undefined ? randomId() : `${nodeId}.${randomId()}`
}

/** The node named in a session ID, or undefined when it names none. */
export function nodeOfSession(sid: string): string | undefined {
  const dot = sid.lastIndexOf('.')
  return dot > 0 ? sid.slice(0, dot) : undefined
}
