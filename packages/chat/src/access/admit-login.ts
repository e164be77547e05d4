import { ApiError } from '@parley/contracts/errors'
import { comparedText, shownName } from '@parley/contracts/ids'
import type { TokenDoc } from '@parley/db/users/documents'
import { newTokenDoc } from '@parley/db/users/tokens'
import { findUser, type Profile } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import { noDocs } from '../events/current-docs.ts'
import { boundToken } from './new-token.ts'
import type { OwnLogin } from './token-issuers.ts'

/** The parts of Chat needed to admit tokens of an app's own issuers. */
export type LoginParts = Pick<Chat, 'db' | 'issuers' | 'writeUser' | 'outbox'>

/**
 * Admits a token signed by an issuer of the app when it is first presented (docs/reference/own-logins.md). From then on
 * it is found by its digest and revoked like a token that Parley issued.
 * @returns undefined if no issuer of the app signed it
 * @throws ApiError INVALID_TOKEN
 */
export async function admitLogin(chat: LoginParts, app: string, token: string): Promise<TokenDoc | undefined> {
  const login = await chat.issuers.verify(app, token)
  if (!login) return undefined
  const { user, device, issuerId, jti, issuedAt, expiresAt, createUsers } = login
  const existing = await findUser(chat.db, app, user)
  if (!existing && !createUsers) throw new ApiError('INVALID_TOKEN', 'the user of the token does not exist')
  const { digest, ...form } = boundToken(token)
  const of = {
    ...form,
    ...(device !== undefined && { device }),
    login: { issuerId, issuedAt, ...(jti !== undefined && { jti }) },
  }
  const outcome = await chat.writeUser({
    ...{ app, id: user, isCreation: false },
    profile: existing ? {} : profileOf(login),
    token: { digest, expiresAt, ...of },
  })
  if ('refused' in outcome) {
    throw new ApiError('INVALID_TOKEN', `the token is refused: ${outcome.refused.message}`, { cause: outcome.refused })
  }
  await chat.outbox.publishCommands(outcome.entries, noDocs)
  return newTokenDoc({ app, user }, digest, expiresAt, of)
}

/** Profile of a user created at login. A name that Parley would refuse is left out. */
function profileOf({ user, name, picture }: OwnLogin): Partial<Profile> {
  const nickname = shownName(256).safeParse(name).data
  const avatarUrl = comparedText(2_048).safeParse(picture).data
  return { nickname: nickname ?? user, ...(avatarUrl !== undefined && { avatarUrl }) }
}
