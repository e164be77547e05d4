import { serializerCompiler } from '@fastify/type-provider-zod'
import { ApiError } from '@parley/contracts/errors'
import { allOperations } from '@parley/contracts/operations/all'
import fastify from 'fastify'
import { createMount } from '../mount.ts'
import { serveDocuments } from './openapi.ts'

/**
 * The OpenAPI 3.1 document of the whole contract; needs no servers.
 * @param isShared whether what several operations use stands once: see share in complete-openapi.ts
 */
export async function openApiDocument({ isShared = true } = {}): Promise<object> {
  const app = fastify({ routerOptions: { ignoreTrailingSlash: true } })
  app.setValidatorCompiler(() => (data) => ({ value: data }))
  app.setSerializerCompiler(serializerCompiler)
  await serveDocuments(app, { isShared })
  const nobody = () => Promise.reject(new ApiError('NOT_FOUND', 'only described here'))
  const byApiKey = { find: nobody, remembered: () => undefined }
  const mount = createMount(
    app,
    { byApiKey, byToken: nobody, bySession: nobody },
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
