import type { createApiReference } from '@scalar/api-reference'

type Scalar = { createApiReference: typeof createApiReference }

const own = document.querySelector<HTMLScriptElement>('script[data-scalar]')
const nonce = document.querySelector('meta[property="csp-nonce"]')?.getAttribute('content') ?? ''

letStylesIn()
await start()

/** Adds the nonce to all style elements that Scalar creates. It omits some, which the CSP would block. */
function letStylesIn(): void {
  const make = document.createElement.bind(document)
  document.createElement = (name: string, options?: ElementCreationOptions) => {
    const made = make(name, options)
    if (name === 'style') made.nonce = nonce
    return made
  }
}

async function start(): Promise<void> {
  const [scalar, keys] = await Promise.all([
    import(/* @vite-ignore */ own?.dataset['scalar'] ?? '') as Promise<Scalar>,
    demoKeys(),
  ])
  scalar.createApiReference('#api', {
    sources: [
      { url: '/openapi.json', title: 'REST', slug: 'rest', default: true },
      { url: '/asyncapi.json', title: 'Events', slug: 'events' },
    ],
    // No third-party requests.
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    hiddenClients: hiddenClients(),
    authentication: {
      securitySchemes: Object.fromEntries(Object.entries(keys).map(([scheme, value]) => [scheme, { value }])),
    },
  })
}

/** Only the local stack provides demo keys. */
async function demoKeys(): Promise<Record<string, string>> {
  const response = await fetch('/docs/keys.json')
  return response.ok ? ((await response.json()) as Record<string, string>) : {}
}

/** Leaves samples for curl, JavaScript (fetch) and Python (requests). */
function hiddenClients(): Record<string, true | string[]> {
  const others = [
    'c',
    'clojure',
    'csharp',
    'dart',
    'fsharp',
    'go',
    'http',
    'java',
    'julia',
    'kotlin',
    'node',
    'objc',
    'ocaml',
  ]
  return {
    ...Object.fromEntries(
      [...others, 'php', 'powershell', 'r', 'ruby', 'rust', 'swift'].map((name) => [name, true as const]),
    ),
    shell: ['httpie', 'wget'],
    js: ['axios', 'jquery', 'ofetch', 'xhr'],
    python: ['python3', 'aiohttp', 'httpx_async', 'httpx_sync'],
  }
}
