import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import type { Fields, PlatformUser } from '../platform.ts'
import { type ChatTab, openChat, type TabOptions } from './chat-tab.ts'
import { type Build, startChromium } from './chromium.ts'

/** Two users on their own deployment, and a browser, started before the first test of a `describe`. */
export interface AliceAndBob {
  deployment: Deployment
  alice: PlatformUser
  bob: PlatformUser
  /** Creates a group owned by the first member; returns its ID. */
  newRoom: (members?: readonly PlatformUser[], fields?: Fields) => Promise<string>
  /** Sends a message; returns its ID. */
  say: (user: PlatformUser, room: string, message: unknown, more?: Fields) => Promise<string>
  /** Opens the page in English, at the room. */
  open: (user: PlatformUser, room: string, options?: TabOptions) => Promise<ChatTab>
}

/** @param nodes number of realtime nodes */
export function aliceAndBob(nodes = 1, build?: Build): AliceAndBob {
  const deployment = {} as Deployment
  const alice = {} as PlatformUser
  const bob = {} as PlatformUser
  let browser: Browser
  beforeAll(async () => {
    Object.assign(deployment, await deploy(nodes))
    browser = await startChromium(build)
    Object.assign(alice, await deployment.platform.newUser('alice', { nickname: 'Alice' }))
    Object.assign(bob, await deployment.platform.newUser('bob', { nickname: 'Bob' }))
  })
  afterAll(() => deployment.stop())
  return {
    ...{ deployment, alice, bob },
    newRoom: (members = [alice, bob], fields = {}) =>
      deployment.platform.newRoom(
        members.map(({ id }) => id),
        { name: 'Friends', owner: members[0]?.id, ...fields },
      ),
    say: async (user, room, message, more) =>
      String((await user.call('POST', `/rooms/${room}/message`, { message, messageType: 'text', ...more }))['_id']),
    open: (user, room, options = {}) =>
      openChat(browser, `http://127.0.0.1:${deployment.front.port}`, user, {
        ...options,
        parameters: { room, lang: 'en', ...options.parameters },
      }),
  }
}
