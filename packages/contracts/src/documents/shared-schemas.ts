import { z } from 'zod'
import { madeId, messageId, roomId, timeMS, userId } from '../ids.ts'
import { attachmentToSend, fileId } from '../resources/file.ts'
import { message } from '../resources/message.ts'
import { operatorRole } from '../resources/operator.ts'
import { doNotDisturb, typeLevels } from '../resources/push/notification-settings.ts'
import { room } from '../resources/room.ts'
import { keyScopes } from '../scopes.ts'
import { timeParameter } from '../time-parameter.ts'

/**
 * Schemas that many operations share without being resources. The OpenAPI document has each once, under this name. If a
 * schema has a description, the name stands for the description, too.
 */
export const sharedSchemas: Readonly<Record<string, z.ZodType>> = {
  UserId: userId,
  RoomId: roomId,
  AnyId: userId.describe(''),
  MessageId: messageId,
  FileId: fileId,
  MadeId: madeId(),
  TimeMS: timeMS,
  Integer: z.int(),
  TimeParameter: timeParameter.describe(''),
  TypeLevels: typeLevels,
  DoNotDisturb: doNotDisturb,
  AttachmentToSend: attachmentToSend,
  OperatorRole: operatorRole,
  KeyScope: z.enum(keyScopes),
}

/** Fields shared by several resources, which extend the schema of this name in the OpenAPI document. */
export const sharedFields: Readonly<Record<string, z.ZodObject>> = {
  MessageFields: message.omit({ sender: true }),
  RoomFields: room.omit({ members: true, unread: true, muted: true, lastMessage: true, pref: true }),
}
