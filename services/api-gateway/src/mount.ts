import type { UserCaller } from '@parley/chat/access/caller'
import type { Chat } from '@parley/chat/chat'
import { Accepted } from '@parley/chat/jobs/work-on-job'
import { JsonText } from '@parley/chat/views/json-text'
import { defined } from '@parley/contracts/defined'
import { envelope, okEnvelope } from '@parley/contracts/envelope'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Operation, Result } from '@parley/contracts/operation'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { z } from 'zod'
import { envelopeText } from './replies/envelope-text.ts'
import { errorResponses } from './replies/error-responses.ts'
import { EventStream, sendEventStream } from './replies/event-stream.ts'
import { Redirect, WithCookies } from './replies/special-replies.ts'
import {
  type AuthenticatedCaller,
  type Authentication,
  authenticate,
  type CallerOf,
  cachedCaller,
  callerRefusal,
  isBare,
  requireScopesFor,
} from './requests/authenticate.ts'
import { headerForms } from './requests/header-forms.ts'
import { readRefusedBody } from './requests/read-body.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
  }
  interface FastifyRequest {
    caller: AuthenticatedCaller | undefined
    /** The refusal, kept until the body determines the form of the error. */
    refusal: unknown
  }
}

/** Finds the device of a call from the possible meanings of its header. */
type DeviceOf = (caller: UserCaller, forms: readonly string[]) => Promise<string | undefined> | string | undefined

export type ChatOf = (operation: Operation, request: FastifyRequest) => Promise<Chat>

/** The input of a handler: validated, with the caller, and the request's ID for logs and events. */
export interface Call<O extends Operation> extends Input<O> {
  caller: CallerOf<O['access']>
  /** The context for use cases; audits changes by API keys and operators. */
  chat: Chat
  request: string
  /** The device named by IM-DEVICE-ID, which does not get the events of its own actions. */
  device: string | undefined
  /** The origin under which the caller reaches us, such as https://chat.example.com. */
  origin: () => string
  /** For operator cookies. */
  raw: FastifyRequest
  /** A signal that aborts when the caller closes the connection. */
  closed: () => AbortSignal
}

/** A response without envelope. */
export interface BareResponse {
  bare: unknown
}

type Handler<O extends Operation> = (
  call: Call<O>,
) => Promise<
  | Result<O>
  | JsonText
  | EventStream
  | Redirect
  | WithCookies
  | (O extends { bareResult: z.ZodType } ? BareResponse : never)
  | (O extends { accepted: z.ZodType } ? Accepted : never)
  | (O extends { scheduled: infer S extends z.ZodType } ? Accepted<z.output<S>> : never)
>

/** Creates the function that mounts an operation of the contract and its use case as a route. */
export function createMount(app: FastifyInstance, authentication: Authentication, deviceOf: DeviceOf, chatOf: ChatOf) {
  return function mount<O extends Operation>(operation: O, handle: Handler<O>): void {
    const checkCaller = async (request: FastifyRequest) => {
      request.caller = await authenticate(authentication, operation.access, request)
    }
    app.route({
      method: operation.method,
      url: operation.path,
      config: { operation },
      schema: routeSchema(operation),
      // Before the body is read. With isBare, the body determines the form of the refusal.
      onRequest: (request, _reply, done) => {
        request.caller = cachedCaller(authentication, operation.access, request)
        if (request.caller) return done()
        const checked = checkCaller(request)
        void finish(operation.isBare ? keepRefusal(request, checked) : checked, done)
      },
      // After the rate limits.
      preParsing: (request, _reply, _payload, done) => {
        const refused = request.refusal === undefined ? callerRefusal(operation, request) : undefined
        if (operation.isBare) request.refusal ??= refused
        if (request.refusal === undefined) return done(refused)
        void refuseInForm(request, done)
      },
      handler: async (request, reply) => {
        requireScopesFor(operation, request)
        const { params, query, headers, body } = request
        const call = {
          chat: await chatOf(operation, request),
          params,
          query,
          headers,
          body,
          caller: request.caller,
          request: request.id,
          origin: () => originOf(request),
          raw: request,
          closed: () => whenClosed(reply),
          device:
            request.caller?.kind === 'user'
              ? await deviceOf(request.caller, headerForms(request, 'im-device-id'))
              : undefined,
        }
        const handled = await handle(call as Call<O>)
        const isWithCookies = handled instanceof WithCookies
        const result = isWithCookies ? handled.result : handled
        if (isWithCookies) reply.header('set-cookie', [...handled.cookies])
        if (result instanceof JsonText) {
          const body = await envelopeText(result, () => authenticate(authentication, operation.access, request))
          return reply.header('content-type', 'application/json; charset=utf-8').send(body)
        }
        if (result instanceof EventStream) return sendEventStream(reply, result)
        if (result instanceof Redirect) return reply.redirect(result.url)
        if (result instanceof Accepted) return reply.code(202).send(okEnvelope(result.result))
        if (isBareResponse(operation, result)) return reply.send(result.bare)
        return reply.send(isBare(operation, body) && operation.form === 'bare' ? result : okEnvelope(result))
      },
    })
  }
}

export type Mount = ReturnType<typeof createMount>

/** @throws ApiError INVALID_REQUEST if the Host header is not valid in a URL */
function originOf({ protocol, host }: FastifyRequest): string {
  const origin = `${protocol}://${host}`
  if (!URL.canParse(origin)) throw new ApiError('INVALID_REQUEST', 'Host: expected a host name')
  return origin
}

/** A signal that aborts when the connection of a request closes. */
export function whenClosed(reply: FastifyReply): AbortSignal {
  const closing = new AbortController()
  reply.raw.once('close', () => closing.abort())
  return closing.signal
}

/** Calls a hook's `done` when the work is over. */
async function finish(work: Promise<void>, done: (error?: Error) => void): Promise<void> {
  try {
    await work
  } catch (error) {
    return done(error as Error)
  }
  done()
}

/** Refuses a request in the form that its body determines. */
async function refuseInForm(request: FastifyRequest, done: (error: Error) => void): Promise<void> {
  try {
    request.body = await readRefusedBody(request)
    done(request.refusal as Error)
  } catch (error) {
    done(error as Error)
  }
}

async function keepRefusal(request: FastifyRequest, check: Promise<void>): Promise<void> {
  await check.catch((error: unknown) => {
    request.refusal = error
  })
}

function isBareResponse(operation: Operation, result: unknown): result is BareResponse {
  return operation.bareResult !== undefined && typeof result === 'object' && result !== null && 'bare' in result
}

function routeSchema(operation: Operation): FastifySchema {
  const { params, query, headers, body, accepted, scheduled } = operation
  return {
    ...defined({ params, querystring: query, headers, body }),
    response: {
      200: responseSchema(operation),
      ...(accepted && { 202: envelope(accepted).describe('Continues as a job') }),
      ...(scheduled && { 202: envelope(scheduled).describe('Scheduled') }),
      ...errorResponses(operation),
    },
  }
}

function responseSchema(operation: Operation): z.ZodType {
  const { form, result, bareResult } = operation
  const whole = form === 'bare' ? result : envelope(result)
  return bareResult ? z.union([whole, bareResult]) : whole
}
