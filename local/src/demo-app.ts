import { setTimeout as pause } from 'node:timers/promises'
import { findApp } from '@parley/db/apps/apps'
import { connectDb, usingDb } from '@parley/db/connect'
import { request } from 'undici'
import { makeApp } from './make-app.ts'

/** The demo app, which only the local stack creates. Its keys are public. */
export const demoApp = {
  id: 'demo',
  clientKey: 'demo-client-key',
  /** With the platform permission. */
  apiKey: 'demo-api-key',
  basicKey: 'demo-basic-key',
  users: ['alice', 'bob'],
  room: 'demo-room',
}

/** Sends a message into the demo's room, as the integrator's server. */
export function curlLine(baseUrl: string): string {
  const message = { room: demoApp.room, sender: 'alice', message: 'Hello Bob', messageType: 'text' }
  return `curl ${baseUrl}/messages -H 'IM-API-KEY: ${demoApp.apiKey}' -H 'Content-Type: application/json' -d '${JSON.stringify(message)}'`
}

/** Creates the demo app, unless it exists. */
export async function makeDemoApp(mongoUrl: string): Promise<void> {
  const found = await usingDb(connectDb(mongoUrl, { appName: 'parley-start' }), (db) => findApp(db, demoApp.id))
  if (!found) await makeApp(mongoUrl, demoApp.id, demoApp)
}

/** Creates the demo app's users and room through the API. Existing ones are kept, and their tokens stay valid. */
export async function makeDemoRoom(baseUrl: string): Promise<void> {
  for (const user of demoApp.users) {
    const { status } = await post(baseUrl, '/admin/clients', { _id: user })
    if (status === 404) await postOk(baseUrl, '/admin/clients', { _id: user, nickname: user, issueAccessToken: true })
  }
  await postOk(baseUrl, '/rooms/', { _id: demoApp.room, roomType: 'group', name: 'Demo', members: demoApp.users })
}

async function postOk(baseUrl: string, path: string, body: unknown): Promise<void> {
  const { status, text } = await post(baseUrl, path, body)
  if (status !== 200) throw new Error(`POST ${path} returned ${status}: ${text}`)
}

/** Timeout for retries, since services that have just started on a busy machine may refuse requests. */
const maxMS = 60_000

async function post(baseUrl: string, path: string, body: unknown): Promise<{ status: number; text: string }> {
  const headers = { 'im-api-key': demoApp.apiKey, 'content-type': 'application/json' }
  for (const untilMS = performance.now() + maxMS; ; await pause(500)) {
    const answer = await request(`${baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await answer.body.text()
    if (answer.statusCode !== 503 || performance.now() > untilMS) return { status: answer.statusCode, text }
  }
}
