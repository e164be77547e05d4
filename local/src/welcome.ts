import { demoApp } from './demo-app.ts'
import type { ServiceProcess } from './service-process.ts'

/** What `npm start` prints when everything runs: addresses, keys, and a line that sends the first message. */
export function welcome({
  baseUrl,
  services,
  data,
  seconds,
}: {
  baseUrl: string
  services: ServiceProcess[]
  data: string
  seconds: number
}): string {
  const metrics = services.map(({ name, ports }) => `${name} ${ports.internal}`).join(' · ')
  const message = { room: demoApp.room, sender: 'alice', message: 'Hello Bob', messageType: 'text' }
  return `
Parley runs (after ${seconds.toFixed(1)} s).

  REST and Socket.IO  ${baseUrl}   (the API to read: ${baseUrl}/docs)
  App "${demoApp.id}"          client key ${demoApp.clientKey}
                      API keys ${demoApp.apiKey} (platform permission), ${demoApp.basicKey} (without)
                      users ${demoApp.users.join(' and ')} in room ${demoApp.room}
  Metrics and health  http://127.0.0.1:<port>/metrics and /readyz: ${metrics}
  Data and logs       ${data}

Send the first message:

  curl ${baseUrl}/messages -H 'IM-API-KEY: ${demoApp.apiKey}' -H 'Content-Type: application/json' -d '${JSON.stringify(message)}'

See it arrive on two devices: npm run demo${baseUrl.endsWith(':8080') ? '' : ` -- --url ${baseUrl}`}
Ctrl-C stops everything; the data stay.`
}
