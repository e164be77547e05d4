import type { RecentActivity } from '@parley/chat/timeline/recent-activity'
import { ApiError } from '@parley/contracts/errors'
import type { FastifyRequest } from 'fastify'

/** Remembers refused requests of users, or of keys in their name, for timelines. Without a token no user is known. */
export function recordRefusal(recent: Pick<RecentActivity, 'record'>, request: FastifyRequest, error: unknown): void {
  const { caller, errorCode: code, id, params, body } = request
  const { operation } = request.routeOptions.config
  if (!operation || code === undefined || caller?.app === undefined) return
  const { sender, room = pathRoom(operation.path, params) } = (body ?? {}) as { sender?: unknown; room?: unknown }
  const user = caller.kind === 'user' ? caller.user : sender
  if (typeof user !== 'string') return
  recent.record(
    { app: caller.app, user },
    {
      what: 'refused',
      call: `${operation.method} ${operation.path.replace(/:(\w+)/g, '{$1}')}`,
      code,
      ...(error instanceof ApiError && { reason: error.message }),
      ...(typeof room === 'string' && { room }),
      request: id,
    },
  )
}

function pathRoom(path: string, params: unknown): string | undefined {
  return path.startsWith('/rooms/:id') ? (params as { id?: string }).id : undefined
}
