import { z } from 'zod'

/** Requests from gateways to nodes, on `nodeSubject(node, request)`. Unknown fields are ignored, for newer releases. */
export const connectionsRequest = z.object({ app: z.string(), user: z.string() })

/** A user's sockets on one node. */
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

/** The deliveries of messages to sockets that a node remembers. */
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

/** A process's circuit breaker for the MODERATE server; null if it has not called the server. */
export const breakerAnswer = z.enum(['closed', 'open', 'half-open']).nullable()
export type BreakerAnswer = z.infer<typeof breakerAnswer>

export const activityRequest = z.object({ app: z.string(), user: z.string() })

/** The logins, disconnects and refused calls of a user that a process remembers. */
export const activityAnswer = z.array(
  z.object({
    what: z.enum(['connected', 'closed', 'refused']),
    atMS: z.number(),
    device: z.string().optional(),
    transport: z.string().optional(),
    /** With `refused`: the emit or operation, its room, and the code and text of the error. */
    call: z.string().optional(),
    room: z.string().optional(),
    code: z.string().optional(),
    reason: z.string().optional(),
    request: z.string().optional(),
  }),
)
export type ActivityAnswer = z.infer<typeof activityAnswer>
