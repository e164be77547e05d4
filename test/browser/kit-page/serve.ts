import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { listenOnLoopback } from '@parley/stack/loopback'
import { onTestFinished } from 'vitest'

const folder = import.meta.dirname
const html = (styles: string) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>The app</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<link rel="stylesheet" href="/app.css"><style>${styles}</style>
<div id="root"></div><script type="module" src="/app.js"></script>`

export type Files = ReadonlyMap<string, string | Uint8Array>

/**
 * Serves the app at its own origin until the test ends.
 * @param styles additional styles of the app
 * @returns its URL
 */
export async function serveKitPage(files: Files, styles = ''): Promise<string> {
  const page = html((await readFile(join(folder, 'styles.css'), 'utf8')) + styles)
  const server = createServer(({ url = '/' }, response) => {
    const name = url.slice(1)
    if (name === '') return response.setHeader('content-type', 'text/html').end(page)
    const file = files.get(name)
    response.setHeader('content-type', name.endsWith('.css') ? 'text/css' : 'text/javascript')
    response.statusCode = file === undefined ? 404 : 200
    return response.end(file)
  })
  const port = await listenOnLoopback(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${port}/`
}

/** Builds the app in development mode, with React's warnings, for a version of React. */
export async function buildKitPage(react: 'react' | 'react-18'): Promise<Files> {
  const { build } = await import('vite')
  const alias = react === 'react' ? [] : [{ find: /^react(-dom)?(?=\/|$)/, replacement: 'react$1-18' }]
  const output = await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    mode: 'development',
    define: { 'process.env.NODE_ENV': '"development"' },
    // Also for the kit's imports, so that the app has a single React.
    resolve: { alias, dedupe: ['react', 'react-dom', 'react-18', 'react-dom-18'] },
    oxc: { jsx: { runtime: 'automatic' } },
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      rolldownOptions: {
        input: join(folder, 'app.tsx'),
        output: { entryFileNames: 'app.js', chunkFileNames: '[name]-[hash].js', assetFileNames: 'app[extname]' },
      },
    },
  })
  const built = (Array.isArray(output) ? output : [output]).flatMap((one) => ('output' in one ? one.output : []))
  return new Map(built.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]))
}
