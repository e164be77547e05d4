import { serializerCompiler } from '@fastify/type-provider-zod'
import { ApiError } from '@parley/contracts/errors'
import { allOperations } from '@parley/contracts/operations/all'
import fastify from 'fastify'
import { createMount } from './mount.ts'
import { serveOpenApi } from './openapi.ts'

/** The OpenAPI 3.1 document of the whole contract, made without any outside system. */
export async function openApiDocument(): Promise<object> {
  const app = fastify({ routerOptions: { ignoreTrailingSlash: true } })
  app.setValidatorCompiler(() => (data) => ({ value: data }))
  app.setSerializerCompiler(serializerCompiler)
  await serveOpenApi(app)
  const nobody = () => Promise.reject(new ApiError('NOT_FOUND', 'only described here'))
  const mount = createMount(app, { byApiKey: nobody, byToken: nobody })
  for (const operation of allOperations) mount(operation, nobody)
  await app.ready()
  const document = app.swagger()
  await app.close()
  return document
}
