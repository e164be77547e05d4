import type { z } from 'zod'
import { privateKeys, privateKeysKey } from '../operations/integrations/config.ts'
import { chatPageConfig, chatPageKey } from './chat-page-config.ts'
import { directory, directoryKey } from './directory.ts'
import { fileLimits, fileLimitsKey } from './file.ts'
import { moderateKey, moderationHook } from './moderation-hook.ts'
import { appNotifications, appNotificationsKey } from './push/notification-settings.ts'
import { retention, retentionKey } from './retention.ts'
import { tokenIssuers, tokenIssuersKey } from './token-issuer.ts'
import { webhookKeys, webhookKeysKey } from './webhook.ts'

/** The values of configuration keys that POST /config checks (docs/reference/configuration.md). */
export const configSchemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  [moderateKey, moderationHook],
  [fileLimitsKey, fileLimits],
  [privateKeysKey, privateKeys],
  [webhookKeysKey, webhookKeys],
  [retentionKey, retention],
  [tokenIssuersKey, tokenIssuers],
  [appNotificationsKey, appNotifications],
  [directoryKey, directory],
  [chatPageKey, chatPageConfig],
])
