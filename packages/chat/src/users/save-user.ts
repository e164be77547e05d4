import { defined } from '@parley/contracts/defined'
import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { saveUser as operation } from '@parley/contracts/operations/users/users'
import type { SavedUser } from '@parley/contracts/resources/user'
import type { Profile } from '@parley/db/users/users'
import { boundToken, defaultExpiry, expiryFrom, newToken } from '../access/new-token.ts'
import type { Chat } from '../chat.ts'
import { noDocs } from '../events/current-docs.ts'
import { toAdminUser } from '../views/user.ts'

type Request = Input<typeof operation>['body']
interface Token {
  token: string
  expiresAt: Date
  device?: string
}

export type Saved = { kind: 'user'; user: SavedUser } | { kind: 'assigned token'; assigned: AssignedToken }

interface AssignedToken {
  _id: string
  nickname: string
  avatarUrl: string
  issueAccessToken: boolean
  token: string
  expirationDate: string
}

/**
 * POST /admin/clients in its four modes (docs/reference/users.md#create-update-issue-a-token). Replaced tokens are
 * revoked, their sockets closed, and the profile shown in new messages when this returns.
 * @throws ApiError INVALID_REQUEST, USER_EXISTS, CLIENT_NOT_FOUND
 */
export async function saveUser(chat: Chat, app: string, request: Request): Promise<Saved> {
  const token = requestedToken(chat, request)
  const { _id: id, issueAccessToken, token: _token, expirationDate: _date, deviceId: _device, ...given } = request
  const profile = defined(given)
  const outcome = await chat.writeUser({
    ...{ app, id, profile, isCreation: issueAccessToken === false },
    ...(token && {
      token: {
        ...{ ...boundToken(token.token), expiresAt: token.expiresAt },
        ...(token.device !== undefined && { device: token.device }),
      },
    }),
    audit: chat.audit?.handOver({
      after: {
        ...profileInAudit(profile),
        ...(token && {
          token: token.device === undefined ? 'replaced' : 'issued for a device',
          expirationDate: token.expiresAt.toISOString(),
        }),
      },
    }),
  })
  if ('refused' in outcome) throw outcome.refused
  const { created, user, entries } = outcome
  // Publishing to the feed is not awaited.
  await chat.outbox.publishCommands(entries, noDocs)
  const fields = token && { token: token.token, expirationDate: token.expiresAt.toISOString() }
  if (created && fields && request.issueAccessToken !== true) {
    const { nickname, avatarUrl } = user
    return { kind: 'assigned token', assigned: { _id: id, nickname, avatarUrl, issueAccessToken: false, ...fields } }
  }
  // A new user is in no room.
  const muted = created ? [] : ((await chat.findMutedRooms([user._id])).get(user._id) ?? [])
  return { kind: 'user', user: { ...toAdminUser(user, muted), ...fields } }
}

/** Names personal fields without copying their values, so that an erasure need not look for them in the audit log. */
export function profileInAudit({ isAdmin, isRobot, ...personal }: Partial<Profile>): object {
  return { ...defined({ isAdmin, isRobot }), changed: Object.keys(personal) }
}

/** The token that the request issues or binds; undefined for a pure profile update. */
function requestedToken(chat: Chat, request: Request): Token | undefined {
  const { issueAccessToken, token, expirationDate, deviceId } = request
  if (deviceId !== undefined && issueAccessToken !== true) {
    throw new ApiError('INVALID_REQUEST', 'deviceId: expected only with issueAccessToken true')
  }
  if (issueAccessToken === true) {
    return {
      token: newToken(),
      expiresAt:
        expirationDate === undefined ? defaultExpiry(chat.settings) : expiryFrom('expirationDate', expirationDate),
      ...(deviceId !== undefined && { device: deviceId }),
    }
  }
  if (issueAccessToken === undefined && token === undefined && expirationDate === undefined) return undefined
  if (token === undefined) throw new ApiError('INVALID_REQUEST', 'token is required to assign a token')
  if (expirationDate === undefined && issueAccessToken === false) {
    throw new ApiError('INVALID_REQUEST', 'expirationDate is required to assign a token')
  }
  return {
    token,
    expiresAt:
      expirationDate === undefined ? defaultExpiry(chat.settings) : expiryFrom('expirationDate', expirationDate),
  }
}
