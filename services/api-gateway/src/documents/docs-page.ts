import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'

const read = (name: string) => readFileSync(join(import.meta.dirname, '../../docs-page', name), 'utf8')
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2563eb"/><path d="M8 10h16v10H15l-5 4v-4H8z" fill="#fff"/></svg>`
const name = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 40"><text x="0" y="28" font-family="system-ui, sans-serif" font-size="24" font-weight="700" fill="#fff">Parley API</text></svg>`

/** The look of the API page, and its script: docs-page/page.js. */
export const docsPage = {
  logo: { type: 'image/svg+xml', content: Buffer.from(name), href: '/docs' },
  theme: {
    title: 'Parley API',
    js: [{ filename: 'page.js', content: read('page.js') }],
    css: [{ filename: 'page.css', content: read('page.css') }],
    favicon: [{ filename: 'icon.svg', rel: 'icon', sizes: 'any', type: 'image/svg+xml', content: Buffer.from(icon) }],
  },
} satisfies FastifySwaggerUiOptions
