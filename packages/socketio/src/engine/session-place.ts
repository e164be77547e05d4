import type { PollOwner } from '../polling/poll-owner.ts'
import { parseSessionId } from './session-id.ts'

/** Another node that holds a session, and the access to it. */
export type Owner = { node: string; reach: PollOwner['reach'] }

/**
 * Finds a session by its ID: on this node, or on another living one; undefined when there can be none. No part of an ID
 * goes further than this before the ID is known to be ours.
 */
export function placeOf(
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
