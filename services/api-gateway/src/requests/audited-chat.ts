import type { AuthenticatedIntegrator } from '@parley/chat/access/caller'
import { keyFingerprint } from '@parley/chat/access/new-token'
import { plainAddress } from '@parley/chat/access/plain-address'
import { recordReading } from '@parley/chat/audit/record-reading'
import { type AuditContext, createRecorder } from '@parley/chat/audit/recorder'
import type { Chat } from '@parley/chat/chat'
import type { AuditedInput, Operation } from '@parley/contracts/operation'
import type { AuditSubject } from '@parley/contracts/resources/audit-entry'
import type { FastifyRequest } from 'fastify'
import { reasonOf } from '../console/operator-caller.ts'
import type { ChatOf } from '../mount.ts'

/** Gives each change by a key or operator its own audit recorder. Reads of conversations are recorded before. */
export function auditCalls(chat: Chat): ChatOf {
  function contextOf(
    { id: action }: Operation,
    { ip, id: request }: FastifyRequest,
    caller: AuthenticatedIntegrator,
    subject: AuditSubject,
  ): AuditContext {
    const { app, key } = caller
    const actor = 'operator' in caller ? `operator:${caller.operator._id}` : `key:${keyFingerprint(caller.keyDigest)}`
    return {
      ...{ app, action, subject, request, address: plainAddress(ip), keptDays: chat.settings.auditDays, actor },
      ...(key.name !== undefined && { actorName: key.name }),
    }
  }

  return async (operation, request) => {
    const { caller, params, body } = request
    if (caller?.kind !== 'integrator') return chat
    const { audit, conversations, scope } = operation
    const subject = audit?.({ params, body: body ?? {} } as AuditedInput)
    const isSend = !subject && scope?.endsWith(':write') === true
    if ('operator' in caller && (conversations || isSend)) {
      await recordReading(chat, contextOf(operation, request, caller, subjectRead(request, caller.app)), {
        session: caller.session,
        reason: reasonOf(request),
        isSend,
      })
    }
    if (!subject) return chat
    return { ...chat, audit: createRecorder(contextOf(operation, request, caller, subject)) }
  }
}

/** The room or message named by a request, else the app. */
function subjectRead({ params, body, routeOptions: { url = '' } }: FastifyRequest, app: string): AuditSubject {
  const { id } = params as { id?: string }
  const { room } = (body ?? {}) as { room?: unknown }
  if (id !== undefined && /\/rooms\/:id/.test(url)) return { kind: 'room', id }
  if (id !== undefined && /\/messages\/:id/.test(url)) return { kind: 'message', id }
  return typeof room === 'string' ? { kind: 'room', id: room } : { kind: 'app', id: app }
}
