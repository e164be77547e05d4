import { keyFingerprint } from '@parley/chat/access/list-api-keys'
import { createRecorder } from '@parley/chat/audit/recorder'
import type { Chat } from '@parley/chat/chat'
import type { AuditedInput } from '@parley/contracts/operation'
import type { ChatOf } from '../mount.ts'

/** Gives calls with an API key that change something a recorder of their own (docs/reference/audit.md). */
export function auditKeys(chat: Chat): ChatOf {
  return ({ id: action, audit }, { caller, params, body, ip, id: request }) => {
    if (!audit || caller?.kind !== 'integrator') return chat
    const subject = audit({ params, body: body ?? {} } as AuditedInput)
    if (!subject) return chat
    const { app, keyDigest, key } = caller
    return {
      ...chat,
      audit: createRecorder({
        ...{ app, action, subject, request, address: ip, keptDays: chat.settings.auditDays },
        actor: `key:${keyFingerprint(keyDigest)}`,
        ...(key.name !== undefined && { actorName: key.name }),
      }),
    }
  }
}
