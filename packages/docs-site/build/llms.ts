import type { Group } from './pages.ts'

/** llms.txt (llmstxt.org): a table of contents for language models. */
export function llmsText(groups: readonly Group[]): string {
  const sections = groups.map(({ title, pages }) => {
    const lines = pages.map(
      (page) => `- [${page.title}](/docs/${page.path}.md)${page.about === '' ? '' : `: ${page.about}`}`,
    )
    return `## ${title}\n\n${lines.join('\n')}`
  })
  return `# Parley

> An instant-messaging backend that a company puts behind its own app: REST with an API key for its server, REST and Socket.IO with a user token for its users.

Every page is Markdown at its address with \`.md\`. Server calls carry \`IM-API-KEY\`, users' calls \`IM-CLIENT-KEY\` and \`IM-Authorization\`.

## Documents for tools

- [OpenAPI](/openapi.json): every REST operation, with schemas and examples
- [AsyncAPI](/asyncapi.json): events from and to the socket
- [/mcp](/docs/reference/agents.md): the operations of API keys as tools of the Model Context Protocol

${sections.join('\n\n')}
`
}
