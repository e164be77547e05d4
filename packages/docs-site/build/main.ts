import { buildDocs } from './build-docs.ts'

const help = `Usage: npm run build:page

Renders the pages of docs/ into packages/docs-site/dist, unless they were rendered from these very sources.`

if (process.argv.includes('--help') || process.argv.includes('-h')) console.log(help)
else if (await buildDocs()) console.log('· The pages of docs/ are rendered')
