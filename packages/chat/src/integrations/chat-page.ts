import { ApiError } from '@parley/contracts/errors'
import { chatPageConfig, chatPageKey } from '@parley/contracts/resources/chat-page-config'
import { findPageFile, keepPageFiles, listPageFiles } from '@parley/db/page-files'
import type { LoginParts } from '../access/admit-login.ts'
import { createSocketAuthentication } from '../access/authenticate-socket.ts'
import { createAppLookup } from '../access/authenticate-user.ts'
import type { Chat } from '../chat.ts'
import { readConfigValue } from './config-values.ts'

export interface PageAsked {
  token?: string | undefined
  clientKey?: string | undefined
}

/**
 * Returns a function that finds the image origins allowed on an app's chat page, from its configuration. The token
 * identifies the app, or else the client key; with neither, there are none. The function throws ApiError INVALID_TOKEN,
 * INVALID_CLIENT_KEY.
 */
export function createPageImages(chat: LoginParts): (asked: PageAsked) => Promise<readonly string[]> {
  const { db } = chat
  const appOf = createAppLookup(db)
  const authenticate = createSocketAuthentication(chat)

  async function findAppOf({ token, clientKey }: PageAsked): Promise<string | undefined> {
    if (token !== undefined) return (await authenticate(token, clientKey)).app
    if (clientKey === undefined) return undefined
    const app = await appOf(clientKey)
    if (app === undefined) throw new ApiError('INVALID_CLIENT_KEY', 'clientKey is not known')
    return app
  }

  return async (asked) => {
    const app = await findAppOf(asked)
    const config = app === undefined ? undefined : await readConfigValue(db, app, chatPageKey, chatPageConfig)
    return config?.imageOrigins ?? []
  }
}

/** Files of the chat page by name, shared by the gateways of all releases. */
export function createPageFiles({ db }: Chat) {
  return {
    keep: (files: ReadonlyMap<string, Uint8Array>) => keepPageFiles(db, files),
    list: () => listPageFiles(db),
    find: (name: string) => findPageFile(db, name),
  }
}
export type PageFiles = ReturnType<typeof createPageFiles>
