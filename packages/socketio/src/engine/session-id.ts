import { randomFillSync } from 'node:crypto'
import type { PollOwner } from '../polling/poll-owner.ts'

const bytesPerId = 15
/** Filled for many IDs at once, since a call for random bytes costs far more than the bytes. Each byte is used once. */
const pool = Buffer.allocUnsafe(bytesPerId * 256)
let used = pool.length

const randomPart = /^[\w-]{20}$/
const nodePart = /^[\w-]{1,32}$/

/** 120 random bits, 20 characters safe in a URL. */
export function randomId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytesPerId
  return pool.toString('base64url', used - bytesPerId, used)
}

/** Whether this is a valid node name: 1 to 32 letters, digits, _ or -, safe in URLs and bus subjects. */
export function isNodeId(name: string): boolean {
  return nodePart.test(name)
}

/** A session ID that names its node, `<node>.<random>`; without a node, only the random part. */
export function newSessionId(nodeId: string | undefined): string {
  return nodeId === undefined ? randomId() : `${nodeId}.${randomId()}`
}

/** Parses a session ID; undefined if `newSessionId` cannot have created it. */
export function parseSessionId(sid: string): { nodeId: string | undefined } | undefined {
  const dot = sid.indexOf('.')
  if (!randomPart.test(sid.slice(dot + 1))) return undefined
  if (dot === -1) return { nodeId: undefined }
  const nodeId = sid.slice(0, dot)
  return isNodeId(nodeId) ? { nodeId } : undefined
}

/** Another node that has a session, and how to reach it. */
export type Owner = { node: string; reach: PollOwner['reach'] }

/** The node of a session, by its ID; undefined if no live node can have it. Checks that the ID is well-formed. */
export function ownerOf(
  { nodeId, pollOwner }: { nodeId: string | undefined; pollOwner: PollOwner | undefined },
  sid: string,
): 'here' | Owner | undefined {
  const parsed = parseSessionId(sid)
  if (parsed === undefined) return undefined
  const { nodeId: node } = parsed
  if (node === nodeId) return 'here'
  if (node === undefined || pollOwner === undefined || !pollOwner.isAlive(node)) return undefined
  return { node, reach: pollOwner.reach }
}
