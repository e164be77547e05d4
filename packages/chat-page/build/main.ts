import { buildKit } from './build-kit.ts'
import { buildPage } from './build-page.ts'

const help = `Usage: npm run build:page

Builds the chat page into packages/chat-page/dist, and its parts for React into packages/client/kit, unless they were
built from these very sources. It runs before npm start and npm test, and in the Docker image.`

if (process.argv.includes('--help') || process.argv.includes('-h')) console.log(help)
else {
  if (await buildPage()) console.log('· The chat page is built')
  if (await buildKit()) console.log('· The kit for React is built')
}
