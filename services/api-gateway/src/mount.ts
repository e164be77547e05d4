import { envelope, okEnvelope } from '@parley/contracts/envelope'
import type { Access, Input, Operation, Result } from '@parley/contracts/operation'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import { z } from 'zod'
import { type Authentication, authenticate, type Caller, isBare } from './authenticate.ts'
import { errorAnswers } from './error-answers.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
  }
  interface FastifyRequest {
    caller: Caller<Access> | undefined
  }
}

/** What a handler is given: validated input, who calls, and the request's ID for logs and events. */
export interface Call<O extends Operation> extends Input<O> {
  caller: Caller<O['access']>
  request: string
  /** The device named by IM-DEVICE-ID: it does not get the events of its own actions. */
  device: string | undefined
}

/** A whole answer that goes out as it is, without envelope. */
export interface BareAnswer {
  bare: unknown
}

type Handler<O extends Operation> = (
  call: Call<O>,
) => Promise<Result<O> | (O extends { bareResult: z.ZodType } ? BareAnswer : never)>

/** Makes the function that turns an operation of the contract and its use case into a route. */
export function createMount(app: FastifyInstance, authentication: Authentication) {
  return function mount<O extends Operation>(operation: O, handle: Handler<O>): void {
    const checkCaller = async (request: FastifyRequest) => {
      request.caller = await authenticate(authentication, operation.access, request)
    }
    app.route({
      method: operation.method,
      url: operation.path,
      config: { operation },
      schema: routeSchema(operation),
      // The form of the error depends on the body where isBare does, so that must have been read.
      ...(operation.isBare ? { preValidation: checkCaller } : { onRequest: checkCaller }),
      handler: async (request, reply) => {
        const { params, query, headers, body } = request
        const call = {
          params,
          query,
          headers,
          body,
          caller: request.caller,
          request: request.id,
          device: deviceOf(request),
        }
        const result = await handle(call as Call<O>)
        if (isBareAnswer(operation, result)) return reply.send(result.bare)
        return reply.send(isBare(operation, body) && operation.form === 'bare' ? result : okEnvelope(result))
      },
    })
  }
}

export type Mount = ReturnType<typeof createMount>

function deviceOf(request: FastifyRequest): string | undefined {
  const device = request.headers['im-device-id']
  return typeof device === 'string' ? device : undefined
}

function isBareAnswer(operation: Operation, result: unknown): result is BareAnswer {
  return operation.bareResult !== undefined && typeof result === 'object' && result !== null && 'bare' in result
}

function routeSchema(operation: Operation): FastifySchema {
  const { params, query, headers, body } = operation
  return {
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(headers && { headers }),
    ...(body && { body }),
    response: { 200: answerSchema(operation), ...errorAnswers(operation) },
  }
}

function answerSchema(operation: Operation): z.ZodType {
  const { form, result, bareResult } = operation
  const whole = form === 'bare' ? result : envelope(result)
  return bareResult ? z.union([whole, bareResult]) : whole
}
