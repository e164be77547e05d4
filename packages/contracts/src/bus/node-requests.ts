import { z } from 'zod'

/**
 * Requests of gateways to realtime nodes, on `nodeSubject(node, request)`. Unknown fields are ignored: a newer release
 * may add some.
 */
export const connectionsRequest = z.object({ app: z.string(), user: z.string() })

/** The sockets of a user at one node. */
export const connectionsAnswer = z.array(
  z.object({
    device: z.string(),
    transport: z.enum(['websocket', 'polling']),
    sinceMS: z.number(),
    lastSeenMS: z.number(),
    userAgent: z.string(),
    clientVersion: z.string().optional(),
  }),
)
export type ConnectionsAnswer = z.infer<typeof connectionsAnswer>

export const deliveriesRequest = z.object({ app: z.string(), room: z.string(), message: z.string() })

/** How often a node handed a message to sockets, and to how many, as far as it remembers. */
export const deliveriesAnswer = z.array(
  z.object({ sockets: z.number(), atMS: z.number(), caughtUp: z.literal(true).optional() }),
)
export type DeliveriesAnswer = z.infer<typeof deliveriesAnswer>
