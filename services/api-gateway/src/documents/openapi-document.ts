import swagger from '@fastify/swagger'
import { createJsonSchemaTransform, jsonSchemaTransformObject, serializerCompiler } from '@fastify/type-provider-zod'
import { ApiError } from '@parley/contracts/errors'
import type { Access, Operation } from '@parley/contracts/operation'
import { allOperations } from '@parley/contracts/operations/all'
import { tags } from '@parley/contracts/tags'
import fastify from 'fastify'
import { createMount } from '../mount.ts'
import { complete, share } from './complete-openapi.ts'
import type { OpenApiDocument } from './openapi-shapes.ts'
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

const transformSchemas = createJsonSchemaTransform({})

/**
 * Makes the OpenAPI 3.1 document of the whole contract for docs/openapi.json; needs no servers.
 * @param isShared whether shared parts are moved to `components`: see share in complete-openapi.ts
 */
export async function openApiDocument({ isShared = true } = {}): Promise<object> {
  const app = fastify({ routerOptions: { ignoreTrailingSlash: true } })
  app.setValidatorCompiler(() => (data) => ({ value: data }))
  app.setSerializerCompiler(serializerCompiler)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Parley',
        version: '1.0.0',
        description:
          'Instant messaging behind your own app. Operations, schemas and fields marked x-extension go beyond the base interface, including everything inside. /asyncapi.json describes the socket events.',
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
            description: 'A signed-in console operator; needs Parley-CSRF except for GET',
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
  const nobody = () => Promise.reject(new ApiError('NOT_FOUND', 'only described here'))
  const byApiKey = { find: nobody, remembered: () => undefined }
  const mount = createMount(
    app,
    { byApiKey, byToken: nobody, bySession: nobody, inApp: nobody },
    () => undefined,
    () => {
      throw new Error('only described here')
    },
  )
  for (const operation of allOperations) mount(operation, nobody)
  await app.ready()
  const document = app.swagger()
  await app.close()
  return document
}

function describe(operation: Operation): Record<string, unknown> {
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description !== undefined && { description: operation.description }),
    security: securityOf[operation.access],
    ...(operation.scope && { 'x-scope': operation.scope }),
    ...(operation.scopesByKind && { 'x-scopes-by-kind': operation.scopesByKind }),
    ...(!operation.inInterface && { 'x-extension': true }),
  }
}
