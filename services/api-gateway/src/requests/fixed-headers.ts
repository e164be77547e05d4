import cors, { type FastifyCorsOptions } from '@fastify/cors'
import helmet from '@fastify/helmet'
import { apiCacheControl } from '@parley/contracts/cache-control'
import {
  corsExposedHeaders,
  corsMaxAgeSeconds,
  corsMethods,
  corsOrigin,
  corsRequestHeaders,
} from '@parley/contracts/cors'
import fastify, { type FastifyInstance } from 'fastify'

const corsOptions: FastifyCorsOptions = {
  origin: corsOrigin,
  methods: corsMethods,
  allowedHeaders: corsRequestHeaders,
  exposedHeaders: corsExposedHeaders,
  maxAge: corsMaxAgeSeconds,
  strictPreflight: false,
}
/** Headers specific to each response. */
const own = new Set(['content-length', 'content-type', 'date', 'connection'])

/** Adds helmet's and CORS' headers to every response. They never change, so only preflights go to the plugin. */
export async function addFixedHeaders(app: FastifyInstance): Promise<void> {
  const fixed = await headersOfPlugins()
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(fixed)
    done()
  })
  await app.register(async (preflights) => {
    await preflights.register(cors, corsOptions)
  })
}

async function headersOfPlugins(): Promise<Record<string, string>> {
  const sample = fastify()
  // JSON needs no policy; the page at /docs has its own.
  await sample.register(helmet, { contentSecurityPolicy: false })
  await sample.register(cors, corsOptions)
  sample.get('/', (_request, reply) => reply.send())
  const { headers } = await sample.inject('/')
  await sample.close()
  const ofPlugins = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (own.has(name) ? [] : [[name, String(value)]])),
  )
  return { 'cache-control': apiCacheControl, ...ofPlugins }
}
