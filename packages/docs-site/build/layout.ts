import { noncePlaceholder } from './built-docs.ts'
import type { Group, Page } from './pages.ts'
import type { Rendered } from './render.ts'

/** File names of built assets, which include a digest. */
export interface Assets {
  style: string
  icon: string
  script: string
  api: string
  /** The folder of Scalar's files. */
  scalar: string
}

export function pageHtml(page: Page, { html, headings }: Rendered, groups: readonly Group[], assets: Assets): string {
  return document(
    `${page.title} · Parley`,
    `<link rel="alternate" type="text/markdown" href="/docs/${page.path}.md">
<script type="module" src="/docs/assets/${assets.script}"></script>`,
    assets,
    `${header(page.path)}
<div class="columns">
<nav class="pages" aria-label="Pages" id="pages">
${groups.map((group) => navigation(group, page)).join('\n')}
</nav>
<main id="main">
<p class="alternate"><a href="/docs/${page.path}.md">This page as Markdown</a></p>
${html}
</main>
<nav class="headings" aria-label="On this page">
${headings.length > 1 ? `<p>On this page</p>\n<ul>${headings.map(({ anchor, text }) => `<li><a href="#${anchor}">${escaped(text)}</a></li>`).join('')}</ul>` : ''}
</nav>
</div>`,
  )
}

/** The API reference, rendered by Scalar. Its styles need the response's nonce. */
export function apiHtml(assets: Assets): string {
  return document(
    'Parley API',
    `<meta property="csp-nonce" content="${noncePlaceholder}">
<link rel="modulepreload" href="/docs/${assets.scalar}/standalone.esm.js">
<script type="module" src="/docs/assets/${assets.api}" data-scalar="/docs/${assets.scalar}/standalone.esm.js"></script>`,
    assets,
    `${header(undefined)}
<noscript>The API as <a href="/openapi.json">OpenAPI document</a> or <a href="/docs/reference/README">written reference</a>.</noscript>
<div id="api"></div>`,
  )
}

function document(title: string, head: string, { style, icon }: Assets, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" type="image/svg+xml" href="/docs/assets/${icon}">
<link rel="stylesheet" href="/docs/assets/${style}">
${head}
</head>
<body>
${body}
</body>
</html>
`
}

const places = [
  ['API', '/docs', undefined],
  ['Events', '/docs/events', 'events'],
  ['Guides', '/docs/guides/README', 'guides/'],
  ['Reference', '/docs/reference/README', 'reference/'],
  ['All pages', '/docs/README', 'README'],
] as const

/** @param path of the page; undefined for the API reference */
function header(path: string | undefined): string {
  const links = places.map(([name, href, begin]) => {
    const isHere = path === undefined ? begin === undefined : begin !== undefined && path.startsWith(begin)
    return `<a href="${href}"${isHere ? ' aria-current="page"' : ''}>${name}</a>`
  })
  const search =
    path === undefined
      ? ''
      : `<search><label><span>Search the pages</span><input type="search" id="search" placeholder="Search the pages ( / )" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list"></label><ul id="found" role="listbox" aria-label="Found" hidden></ul></search>`
  return `<header class="top">
<a class="skip" href="#${path === undefined ? 'api' : 'main'}">Skip to content</a>
${path === undefined ? '' : '<button type="button" id="menu" aria-expanded="false" aria-controls="pages">Pages</button>'}
<strong><a href="/docs/parley/README">Parley</a></strong>
<nav aria-label="Documentation">${links.join('')}</nav>
${search}
</header>`
}

function navigation({ title, pages }: Group, here: Page): string {
  const links = pages.map(({ path, title: name }) => {
    return `<li><a href="/docs/${path}"${path === here.path ? ' aria-current="page"' : ''}>${escaped(name)}</a></li>`
  })
  return `<p>${title}</p>\n<ul>${links.join('')}</ul>`
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
