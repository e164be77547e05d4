import { buildConsole } from './build-console.ts'
import { writeContract } from './write-contract.ts'

const help = `Usage: npm run build:console [-- --types]

Builds the operators' console into packages/console/dist, unless it is up to date. It runs before npm start and npm test,
and in the Docker image. With --types it only writes packages/console/generated, the types of the API.`

if (process.argv.includes('--help') || process.argv.includes('-h')) console.log(help)
else if (process.argv.includes('--types')) await writeContract()
else if (await buildConsole()) console.log('· Built the console')
