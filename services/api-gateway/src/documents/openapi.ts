import swagger from '@fastify/swagger'
import { createJsonSchemaTransform, jsonSchemaTransformObject } from '@fastify/type-provider-zod'
import { asyncApiDocument } from '@parley/contracts/documents/asyncapi'
import type { Access, Operation } from '@parley/contracts/operation'
import { tags } from '@parley/contracts/tags'
import type { FastifyInstance } from 'fastify'
import { complete, share } from './complete-openapi.ts'
import type { OpenApiDocument } from './openapi-shapes.ts'
import { createOpenApiText } from './openapi-text.ts'
import { describeWebhooks } from './openapi-webhooks.ts'

const securityOf: Record<Access, Record<string, string[]>[]> = {
  admin: [{ apiKey: [] }],
  platform: [{ apiKey: [] }],
  client: [{ clientKey: [], userToken: [] }],
  'client-with-id': [{ clientKey: [], userToken: [] }],
  operator: [{ operatorSession: [] }],
  anyone: [],
  'client-or-admin': [{ clientKey: [], userToken: [] }, { apiKey: [] }],
}

const inHeader = (name: string, description: string) => ({
  type: 'apiKey' as const,
  in: 'header' as const,
  name,
  description,
})

const transformSchemas = createJsonSchemaTransform({ skipList: ['/openapi.json'] })

/** Serves the contract as OpenAPI 3.1 at /openapi.json, and the socket's events as AsyncAPI 3 at /asyncapi.json. Register before the routes. */
export async function serveDocuments(app: FastifyInstance, { isShared = true } = {}): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Parley',
        version: '1.0.0',
        description:
          'Instant messaging behind your own app. Operations, schemas and fields marked x-extension go beyond the base interface, with everything inside. /asyncapi.json describes the events of the socket.',
        // No licence is chosen yet (README.md).
        license: { name: 'No licence' },
        contact: { name: 'Parley' },
      },
      servers: [{ url: '/', description: 'The gateway that serves this document' }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          apiKey: inHeader('IM-API-KEY', "An integrator's server"),
          clientKey: inHeader('IM-CLIENT-KEY', 'The app of an end user'),
          operatorSession: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-parley',
            description: 'An operator of the console, who signed in; with Parley-CSRF for every request but GET',
          },
          userToken: inHeader('IM-Authorization', "The end user's token"),
        },
      },
    },
    transform: (document) => {
      const operation = document.route.config?.operation
      const { schema, url } = transformSchemas(document)
      return { schema: operation ? { ...schema, ...describe(operation) } : { ...schema, hide: true }, url }
    },
    transformObject: (document) => {
      const whole = complete({
        ...(jsonSchemaTransformObject(document) as unknown as OpenApiDocument),
        webhooks: describeWebhooks(),
      })
      return isShared ? share(whole) : whole
    },
  })
  const openApiText = createOpenApiText()
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    return reply.type('application/json').send(await openApiText())
  })
  // Made when it is first read: that takes as long as a fifth of a gateway's start.
  let events: ReturnType<typeof asyncApiDocument> | undefined
  app.get('/asyncapi.json', { schema: { hide: true } }, () => (events ??= asyncApiDocument()))
}

function describe(operation: Operation): Record<string, unknown> {
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description !== undefined && { description: operation.description }),
    security: securityOf[operation.access],
    ...(operation.scope && { 'x-scope': operation.scope }),
    ...(operation.extension && { 'x-extension': true }),
  }
}
