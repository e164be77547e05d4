import { buildKit } from './build-kit.ts'
import { buildPage } from './build-page.ts'

const help = `Usage: npm run build:page

Builds the chat page into packages/chat-page/dist, and its React components into packages/client/kit, unless they are up
to date. It runs before npm start and npm test, and in the Docker image.`

if (process.argv.includes('--help') || process.argv.includes('-h')) console.log(help)
else {
  if (await buildPage()) console.log('· Built the chat page')
  if (await buildKit()) console.log('· Built the React kit')
}
