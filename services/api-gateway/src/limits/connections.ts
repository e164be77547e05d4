import type { Server } from 'node:http'
import { answerBrokenRequests } from '@parley/service/broken-request'

/** Room for a token of 4,096 bytes and a user ID of 128 characters, each percent-encoded, beside a filter `q`. */
const maxHeaderSize = 32 * 1024
/** A connection on which nothing moves for this long is closed: its client reads too slowly. */
const idleMS = 60_000

/**
 * Bounds connections: the head and the body of a request must arrive within `receiveMS` milliseconds. What is not
 * HTTP, or too late, gets the error envelope.
 * @returns options for Fastify, and a function to call with its server before it listens
 */
export function boundConnections(receiveMS: number) {
  const { onRequest, onClientError } = answerBrokenRequests()
  return {
    watch: (server: Server) => void server.on('request', onRequest),
    options: {
      connectionTimeout: idleMS,
      requestTimeout: receiveMS,
      clientErrorHandler: onClientError,
      http: {
        headersTimeout: receiveMS,
        connectionsCheckingInterval: Math.min(1_000, receiveMS),
        maxHeaderSize,
        // Node's own refusal has no body; refused-requests.ts refuses with the envelope.
        requireHostHeader: false,
      },
    },
  }
}
