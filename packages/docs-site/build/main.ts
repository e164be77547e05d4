import { buildDocs } from './build-docs.ts'

const help = `Usage: npm run build:page

Renders the pages of docs/ into packages/docs-site/dist, unless they are up to date.`

if (process.argv.includes('--help') || process.argv.includes('-h')) console.log(help)
else if (await buildDocs()) console.log('· Rendered the pages of docs/')
