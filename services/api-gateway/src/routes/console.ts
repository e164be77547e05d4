import { plainAddress } from '@parley/chat/access/plain-address'
import { listAudit } from '@parley/chat/audit/list-audit'
import {
  addOperator,
  type By,
  changeOperator,
  listOperators,
  removeOperator,
  resetOperator,
} from '@parley/chat/operators/manage-operators'
import { isOwnerOf, type Operators, type Visitor } from '@parley/chat/operators/operators'
import { changePassword, removeTotp, renewRecoveryCodes, setUpTotp } from '@parley/chat/operators/own-account'
import {
  addPasskey,
  listPasskeys,
  relyingParty,
  removePasskey,
  renamePasskey,
  signInByPasskey,
  startPasskey,
  startPasskeySignIn,
} from '@parley/chat/operators/passkeys'
import { actorOf } from '@parley/chat/operators/record-change'
import {
  endSession,
  listSessions,
  type SignedIn,
  type SignedInOperator,
  signOut,
  viewSession,
} from '@parley/chat/operators/sessions'
import { signIn, signInByLink } from '@parley/chat/operators/sign-in'
import { finishSso, type IdentityProvider } from '@parley/chat/operators/sso'
import { ApiError } from '@parley/contracts/errors'
import * as account from '@parley/contracts/operations/console/account'
import * as managed from '@parley/contracts/operations/console/operators'
import * as passkeys from '@parley/contracts/operations/console/passkeys'
import * as session from '@parley/contracts/operations/console/session'
import { everyApp, type OperatorSessionView } from '@parley/contracts/resources/operator'
import type { Metrics } from '@parley/service/metrics'
import type { FastifyRequest } from 'fastify'
import { cookieOf, endedFlowCookie, endedSessionCookie, flowCookie, sessionCookie } from '../console/session-cookie.ts'
import type { Mount } from '../mount.ts'
import { Redirect, WithCookies } from '../replies/special-replies.ts'

/** How operators sign in (docs/reference/console.md). */
export interface ConsoleParts {
  sso?: IdentityProvider | undefined
  /** URL of the gateways for browsers; default: the origin of the request. */
  url?: string | undefined
  /** Idle timeout and maximum age of sessions. */
  sessions?: Pick<Operators, 'idleMS' | 'longestMS'>
}

export function mountConsole(mount: Mount, operators: Operators, metrics: Metrics, parts: ConsoleParts): void {
  mountSignIns(mount, operators, metrics, parts)
  mountSessions(mount, operators)
  mountPasskeys(mount, operators, parts)
  mountOperators(mount, operators)
}

function mountSignIns(mount: Mount, operators: Operators, metrics: Metrics, { sso, url }: ConsoleParts): void {
  const help = 'Operator sign-ins, by OK or error code'
  const signIns = metrics.counter('parley_operator_sign_ins_total', help, ['outcome'])
  const counted = async (signingIn: Promise<SignedIn>): Promise<SignedIn> => {
    try {
      const signedIn = await signingIn
      signIns.inc({ outcome: 'OK' })
      return signedIn
    } catch (error) {
      signIns.inc({ outcome: error instanceof ApiError ? error.code : 'INTERNAL_ERROR' })
      throw error
    }
  }

  mount(session.getSignInMethods, async () => ({ password: true, sso: sso !== undefined }))

  mount(session.signIn, async ({ body, raw }) =>
    withSession(operators, raw, await counted(signIn(operators, body, visitorOf(raw)))),
  )

  mount(session.signInByLink, async ({ body, raw }) =>
    withSession(operators, raw, await counted(signInByLink(operators, body.token, visitorOf(raw)))),
  )

  mount(passkeys.startPasskeySignIn, ({ origin, raw }) =>
    startPasskeySignIn(operators, relyingParty(url ?? origin()), visitorOf(raw)),
  )

  mount(passkeys.signInByPasskey, async ({ body, raw, origin }) => {
    const party = relyingParty(url ?? origin())
    return withSession(
      operators,
      raw,
      await counted(signInByPasskey(operators, party, body.credential, visitorOf(raw))),
    )
  })

  mount(session.startSso, async ({ raw, origin }) => {
    const provider = required(sso)
    try {
      const { url: to, flow } = await provider.begin(`${url ?? origin()}/operator/oidc/callback`)
      return new WithCookies([flowCookie(raw, flow)], new Redirect(to))
    } catch (error) {
      return refusedSso(raw, url, error)
    }
  })

  mount(session.finishSso, async ({ raw, origin }) => {
    const provider = required(sso)
    const back = new URL(`${url ?? origin()}/operator/oidc/callback`)
    back.search = new URL(raw.url, back).search
    const ended = endedFlowCookie(raw)
    try {
      const way = { back, flow: cookieOf(raw, 'flow') ?? '' }
      const { token, session: made } = await counted(finishSso(operators, provider, way, visitorOf(raw)))
      return new WithCookies([sessionCookie(raw, token, made.endsAt), ended], new Redirect(`${url ?? ''}/console`))
    } catch (error) {
      return new WithCookies([ended], refusedSso(raw, url, error))
    }
  })
}

/** Leads the browser back to the sign-in screen, which explains the error. */
function refusedSso(raw: FastifyRequest, consoleUrl: string | undefined, error: unknown): Redirect {
  if (!(error instanceof ApiError)) throw error
  const fields = { err: error, request: raw.id }
  if (error.code === 'SERVICE_UNAVAILABLE') raw.log.warn(fields, 'no operator can sign in by the identity provider')
  else raw.log.info(fields, 'sign-in by the identity provider refused')
  return new Redirect(`${consoleUrl ?? ''}/console#error=${error.code}`)
}

function mountSessions(mount: Mount, operators: Operators): void {
  const { db } = operators

  mount(session.getSession, ({ caller }) => viewSession(db, caller))

  mount(session.signOut, async ({ caller, raw }) => {
    await signOut(operators, caller, visitorOf(raw))
    return new WithCookies([endedSessionCookie(raw)], {})
  })

  mount(session.listSessions, ({ caller }) => listSessions(db, caller))
  mount(session.endSession, ({ caller, params, raw }) => endSession(operators, caller, params.id, visitorOf(raw)))

  mount(account.changePassword, async ({ caller, body, raw }) =>
    withSession(operators, raw, await changePassword(operators, caller, body, visitorOf(raw))),
  )

  mount(account.setUpTotp, ({ caller, body, raw }) => setUpTotp(operators, caller, body, visitorOf(raw)))

  mount(account.renewRecoveryCodes, ({ caller, body, raw }) =>
    renewRecoveryCodes(operators, caller, body.code, visitorOf(raw)),
  )

  mount(account.removeTotp, ({ caller, body, raw }) => removeTotp(operators, caller, body.code, visitorOf(raw)))
}

function mountPasskeys(mount: Mount, operators: Operators, { url }: ConsoleParts): void {
  mount(passkeys.startPasskey, ({ caller, origin }) => startPasskey(operators, relyingParty(url ?? origin()), caller))

  mount(passkeys.addPasskey, ({ caller, body, raw, origin }) =>
    addPasskey(operators, relyingParty(url ?? origin()), caller, body, visitorOf(raw)),
  )

  mount(passkeys.listPasskeys, async ({ caller }) => listPasskeys(caller))

  mount(passkeys.renamePasskey, ({ caller, params, body, raw }) =>
    renamePasskey(operators, caller, params.id, body.name, visitorOf(raw)),
  )

  mount(passkeys.removePasskey, ({ caller, params, raw }) =>
    removePasskey(operators, caller, params.id, visitorOf(raw)),
  )
}

function mountOperators(mount: Mount, operators: Operators): void {
  mount(managed.listOperators, ({ caller, query, raw }) => listOperators(operators, by(caller, raw), query))
  mount(managed.addOperator, ({ caller, body, raw }) => addOperator(operators, by(caller, raw), body))

  mount(managed.changeOperator, ({ caller, params, body, raw }) =>
    changeOperator(operators, by(caller, raw), params.id, body),
  )

  mount(managed.resetOperator, ({ caller, params, raw }) => resetOperator(operators, by(caller, raw), params.id))
  mount(managed.removeOperator, ({ caller, params, raw }) => removeOperator(operators, by(caller, raw), params.id))

  mount(managed.listOperatorAudit, async ({ caller, query }) => {
    if (isOwnerOf(caller.operator, everyApp)) return listAudit(operators, everyApp, query)
    throw new ApiError('PERMISSION_DENIED', 'only owners of all apps see the log of operators')
  })
}

async function withSession(
  { db }: Operators,
  raw: FastifyRequest,
  signedIn: SignedIn,
): Promise<WithCookies<OperatorSessionView>> {
  const { token, session: made } = signedIn
  return new WithCookies([sessionCookie(raw, token, made.endsAt)], await viewSession(db, signedIn))
}

function required(sso: IdentityProvider | undefined): IdentityProvider {
  if (sso) return sso
  throw new ApiError('NOT_FOUND', 'no identity provider is set (PARLEY_GATEWAY_OIDC_ISSUER)')
}

function visitorOf({ ip, headers, id: request }: FastifyRequest): Visitor {
  return { address: plainAddress(ip), userAgent: headers['user-agent'] ?? '', request }
}

function by({ operator }: SignedInOperator, raw: FastifyRequest): By {
  return { actor: actorOf(operator, visitorOf(raw)), roles: operator.roles }
}
