import { curlLine, demoApp } from './demo-app.ts'
import type { ServiceProcess } from './service-process.ts'

interface Running {
  baseUrl: string
  services: ServiceProcess[]
  data: string
  seconds: number
  /** Link to the console, if the demo app was created. */
  signInLink: string | undefined
  /** URLs by title. External servers are left out, whose URLs may contain passwords. */
  serverUrls: Record<string, string>
}

/** The output of `npm start` once everything runs: addresses, keys, and a curl line that sends the first message. */
export function welcome({ baseUrl, services, data, seconds, signInLink, serverUrls }: Running): string {
  const servers = Object.entries(serverUrls).map(([title, url]) => `\n  ${title.padEnd(18)}  ${url}`)
  const metrics = services.map(({ name, ports }) => `${name} ${ports.internal}`).join(' · ')
  return `
Parley runs (after ${seconds.toFixed(1)} s).

  REST and Socket.IO  ${baseUrl}   (API reference: ${baseUrl}/docs)${signInLink === undefined ? '' : demoKeys(signInLink)}
  Metrics and health  http://127.0.0.1:<port>/metrics and /readyz: ${metrics}
  Data and logs       ${data}${servers.join('')}

${signInLink === undefined ? ownApp : firstMessage(baseUrl)}
Ctrl-C stops everything and keeps the data.`
}

const demoKeys = (signInLink: string) => `
  Console             ${signInLink}   (one-time link)
  App "${demoApp.id}"          client key ${demoApp.clientKey}
                      API keys ${demoApp.apiKey} (platform permission), ${demoApp.basicKey} (without)
                      users ${demoApp.users.join(' and ')} in room ${demoApp.room}`

function firstMessage(baseUrl: string): string {
  return `See it: ${baseUrl} has two users side by side. Send the first message:

  ${curlLine(baseUrl)}

See it arrive on two devices: npm run demo${baseUrl.endsWith(':8080') ? '' : ` -- --url ${baseUrl}`}`
}

const ownApp = `Parley uses the database of PARLEY_MONGO_URL. Create an app there:

  npm run parley -- app create my-app

--demo also creates the demo app there, whose keys are public.`
