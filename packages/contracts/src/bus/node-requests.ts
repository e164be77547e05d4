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

export const deliveriesRequest = z.object({
  app: z.string(),
  messages: z.array(z.object({ room: z.string(), message: z.string() })),
})

/** How often a node handed messages to sockets, and to how many, as far as it remembers. */
export const deliveriesAnswer = z.array(
  z.object({
    message: z.string(),
    sockets: z.number(),
    atMS: z.number(),
    caughtUp: z.literal(true).optional(),
  }),
)
export type DeliveriesAnswer = z.infer<typeof deliveriesAnswer>

export const breakerRequest = z.object({ app: z.string() })

/** The breaker of a process for the server of MODERATE; null where it has not called that server. */
export const breakerAnswer = z.enum(['closed', 'open', 'half-open']).nullable()
export type BreakerAnswer = z.infer<typeof breakerAnswer>

export const activityRequest = z.object({ app: z.string(), user: z.string() })

/** The logins of a user, the ends of their connections and what they were refused, as far as a process remembers. */
export const activityAnswer = z.array(
  z.object({
    what: z.enum(['connected', 'closed', 'refused']),
    atMS: z.number(),
    device: z.string().optional(),
    transport: z.string().optional(),
    /** Of what is refused: the emit or the operation, its room, the code and the text of the error. */
    call: z.string().optional(),
    room: z.string().optional(),
    code: z.string().optional(),
    reason: z.string().optional(),
    request: z.string().optional(),
  }),
)
export type ActivityAnswer = z.infer<typeof activityAnswer>
