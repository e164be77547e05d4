import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { saveUser as operation } from '@parley/contracts/operations/clients'
import type { SavedUser } from '@parley/contracts/resources/user'
import { digest } from '@parley/db/apps'
import { replaceTokens } from '@parley/db/tokens'
import { inTransaction, type Session } from '@parley/db/transaction'
import { findUser, insertUser, type Profile, type UserDoc, updateProfile } from '@parley/db/users'
import type { Chat } from './chat.ts'
import { controlRevoked } from './control-users.ts'
import { defaultExpiry, newToken } from './new-token.ts'
import { showAdminUser } from './show-user.ts'

type Request = Input<typeof operation>['body']
interface Token {
  token: string
  expiresAt: Date
}

/** The answer of assigning an external token to a new user: bare, without envelope. */
export interface AssignedToken {
  bare: {
    _id: string
    nickname: string
    avatarUrl: string
    issueAccessToken: boolean
    token: string
    expirationDate: string
  }
}

/**
 * POST /admin/clients in its four modes (interface.md; the table in decisions.md, "Users"). Tokens that
 * are replaced end at once, and their sockets with them.
 * @throws ApiError INVALID_REQUEST, USER_EXISTS, CLIENT_NOT_FOUND
 */
export async function saveUser(chat: Chat, app: string, request: Request): Promise<SavedUser | AssignedToken> {
  const token = requestedToken(chat, request)
  const { created, user, ended } = await inTransaction(chat.db, (session) => write(chat, app, request, token, session))
  await controlRevoked(chat, app, user.id, ended)
  const fields = token && { token: token.token, expirationDate: token.expiresAt.toISOString() }
  if (created && fields && request.issueAccessToken !== true) {
    const { id: _id, nickname, avatarUrl } = user
    return { bare: { _id, nickname, avatarUrl, issueAccessToken: false, ...fields } }
  }
  return { ...(await showAdminUser(chat.db, user)), ...fields }
}

/** The token that the request issues or binds; undefined when it only updates a profile. */
function requestedToken(chat: Chat, request: Request): Token | undefined {
  const { issueAccessToken, token, expirationDate } = request
  if (issueAccessToken === true) {
    if (token !== undefined) throw new ApiError('INVALID_REQUEST', 'token: leave it out with issueAccessToken true')
    return {
      token: newToken(),
      expiresAt: expirationDate === undefined ? defaultExpiry(chat) : new Date(expirationDate),
    }
  }
  if (issueAccessToken === undefined && token === undefined && expirationDate === undefined) return undefined
  if (token === undefined) throw new ApiError('INVALID_REQUEST', 'token is required to assign a token')
  if (expirationDate === undefined && issueAccessToken === false) {
    throw new ApiError('INVALID_REQUEST', 'expirationDate is required to assign a token')
  }
  return { token, expiresAt: expirationDate === undefined ? defaultExpiry(chat) : new Date(expirationDate) }
}

async function write(
  chat: Chat,
  app: string,
  request: Request,
  token: Token | undefined,
  session: Session,
): Promise<{ created: boolean; user: UserDoc; ended: string[] }> {
  const { _id: id, issueAccessToken, token: _token, expirationDate: _date, ...fields } = request
  const profile = fields as Partial<Profile>
  const hasProfile = Object.values(profile).some((value) => value !== undefined)
  const existing = await findUser(chat.db, app, id, session)
  if (!existing && !token) throw new ApiError('CLIENT_NOT_FOUND', `_id: no user ${JSON.stringify(id)}`)
  if (existing && token && issueAccessToken === false && hasProfile) {
    throw new ApiError('USER_EXISTS', `_id: a user ${JSON.stringify(id)} exists`)
  }
  let user = existing
  if (!user) user = await insertUser(chat.db, app, id, profile, session)
  else if (hasProfile) user = (await updateProfile(chat.db, app, id, profile, session)) ?? user
  if (!token) return { created: false, user, ended: [] }
  const replaced = await replaceTokens(chat.db, { app, user: id }, digest(token.token), token.expiresAt, session)
  if (replaced === 'held by another user') {
    throw new ApiError('INVALID_REQUEST', 'token: another user of the app holds this token')
  }
  return { created: !existing, user, ended: replaced.ended }
}
