import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { isChromiumMissing, startChromium } from '../browser/chromium.ts'
import { type Deployment, deploy } from '../client/client-of.ts'
import { runExample } from './run-example.ts'

const hasNoChromium = isChromiumMissing()

describe('the examples with a page', () => {
  let deployment: Deployment
  let browser: Browser | undefined
  beforeAll(async () => {
    deployment = await deploy(1, [], { PARLEY_GATEWAY_CHAT_FRAME_ANCESTORS: '*' })
    if (!hasNoChromium) browser = await startChromium()
  })
  afterAll(() => deployment.stop())

  const startShop = async (name: string) => {
    const shop = runExample(deployment, name)
    return /http\S+/.exec(await shop.prints(/The shop is open: http\S+/))?.[0] ?? ''
  }

  test('web-shop: only the signed-in customer sees the chat of an order, in a frame on the order page', async () => {
    const url = await startShop('web-shop')
    const form = (path: string, fields: Record<string, string>, cookie = '') =>
      fetch(url + path, { method: 'POST', redirect: 'manual', headers: { cookie }, body: new URLSearchParams(fields) })
    const signIn = async (user: string, password: string) => {
      const response = await form('/sign-in', { user, password })
      return { status: response.status, cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
    }
    assert.equal((await signIn('carla', 'wrong')).status, 401)
    const { cookie } = await signIn('carla', 'carla')
    const order = await form('/orders', { product: 'Lamp' }, cookie)
    const path = order.headers.get('location') ?? ''
    const page = await (await fetch(url + path, { headers: { cookie } })).text()
    const embed = new URL(/src="([^"]+\/chat\/embed\.js)"/.exec(page)?.[1] ?? '')
    assert.equal((await fetch(embed)).status, 200)
    const tokenOf = async (cookie: string, refused = '') => {
      const body = new URLSearchParams({ refused })
      const response = await fetch(`${url}/chat-token`, { method: 'POST', headers: { cookie }, body })
      return { status: response.status, token: await response.text() }
    }
    assert.equal((await tokenOf('')).status, 401)
    const { token } = await tokenOf(cookie)
    const me = async (token: string) => {
      const headers = { 'im-client-key': deployment.platform.clientKey, 'im-authorization': token }
      const { result } = (await (await fetch(`${embed.origin}/me`, { headers })).json()) as { result?: { _id: string } }
      return result?._id
    }
    assert.equal(await me(token), 'carla')
    assert.equal((await tokenOf(cookie, 'another')).token, token)
    await deployment.platform.admin('POST', '/admin/clients', { _id: 'carla', issueAccessToken: true })
    assert.equal(await me(token), undefined)
    const [one, two] = await Promise.all([tokenOf(cookie, token), tokenOf(cookie, token)])
    assert.equal(one.token, two.token)
    assert.equal(await me(one.token), 'carla')
    const framed = await fetch(new URL('/chat', embed))
    assert.match(framed.headers.get('content-security-policy') ?? '', /frame-ancestors [^;]*\*/)
    const { cookie: carls } = await signIn('carl', 'carl')
    const refused = await fetch(url + path, { redirect: 'manual', headers: { cookie: carls } })
    assert.equal(refused.status, 303)
  })

  const signIn = async (url: string, user: string, password: string): Promise<Page> => {
    const context = await browser?.newContext({ locale: 'en' })
    onTestFinished(() => context?.close())
    const page = await context?.newPage()
    assert.ok(page)
    page.setDefaultTimeout(120_000)
    await page.goto(url)
    await page.getByLabel('Name').fill(user)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    return page
  }

  test.skipIf(hasNoChromium)('web-shop: customer and support chat about the order in the frame', async () => {
    const url = await startShop('web-shop')
    const carla = await signIn(url, 'carla', 'carla')
    await carla.getByRole('listitem').filter({ hasText: 'Teapot' }).getByRole('button').click()
    const frame = carla.frameLocator('iframe')
    await frame.getByRole('log').getByText('Thank you for ordering the Teapot. Questions? Write here.').waitFor()
    await frame.getByRole('textbox', { name: 'Message' }).fill('Is it blue?')
    await frame.getByRole('button', { name: 'Send' }).click()
    const support = await signIn(url, 'shop-support', 'support')
    await support.getByRole('link', { name: 'Teapot' }).click()
    const desk = support.frameLocator('iframe')
    await desk.getByRole('log').getByText('Is it blue?', { exact: true }).waitFor()
    await desk.getByRole('textbox', { name: 'Message' }).fill('It is.')
    await desk.getByRole('button', { name: 'Send' }).click()
    await frame.getByRole('log').getByText('It is.', { exact: true }).waitFor()
  })

  test.skipIf(hasNoChromium)('own-interface: users and robots see each other type, send, read and react', async () => {
    const url = await startShop('own-interface')
    const wrong = await signIn(url, 'dora', 'wrong')
    await wrong.getByText('Wrong name or password').waitFor()
    const [dora, support] = [await signIn(url, 'dora', 'dora'), await signIn(url, 'lounge-support', 'support')]
    await support.getByRole('textbox', { name: 'Message' }).waitFor()
    await dora.getByRole('textbox', { name: 'Message' }).pressSequentially('Good morning')
    await support.getByText('Dora Customer writes…').waitFor()
    await dora.keyboard.press('Enter')
    await support.getByRole('log').getByText('Good morning').waitFor()
    const own = dora.getByRole('article').filter({ hasText: 'Good morning' })
    await own.getByText('read').waitFor()
    await support.getByRole('article').getByRole('button', { name: '👍' }).click()
    await own.getByRole('button', { name: '👍 1' }).waitFor()
    const robot = await deployment.platform.newUser('robot', { isRobot: true })
    await deployment.platform.admin('POST', '/rooms/shop-lounge/members', { invitees: [robot.id] })
    const { _id } = await robot.call('POST', '/messages/stream', { room: 'shop-lounge' })
    await robot.call('POST', `/messages/${String(_id)}/stream`, { text: 'At your service' })
    await dora.getByRole('article').filter({ hasText: 'At your service' }).waitFor()
    assert.equal(await dora.getByText('At your service', { exact: true }).count(), 1)
    // A token issued elsewhere ends hers, so the page fetches a new one from its server.
    await deployment.platform.admin('POST', '/admin/clients', { _id: 'dora', issueAccessToken: true })
    await dora.getByRole('textbox', { name: 'Message' }).fill('Still here')
    await dora.keyboard.press('Enter')
    await support.getByRole('log').getByText('Still here').waitFor()
  })

  test.skipIf(hasNoChromium).for([
    ['react-kit', /The chat is open: http:\/\/[^/]+/, 'The lounge'],
    ['next-kit', /Local: +http:\/\/\S+/, 'The Next lounge'],
  ] as const)('%s: users chat in the parts of the kit', async ([name, address, room]) => {
    const shown = await runExample(deployment, name, { NEXT_TELEMETRY_DISABLED: '1' }).prints(address)
    const url = /http\S+/.exec(shown)?.[0] ?? ''
    const open = async (user: string) => {
      const context = await browser?.newContext({ locale: 'en' })
      onTestFinished(() => context?.close())
      const page = await context?.newPage()
      assert.ok(page)
      page.setDefaultTimeout(120_000)
      await page.goto(`${url}/?user=${user}`)
      await page
        .getByRole('navigation', { name: 'Rooms' })
        .getByRole('button', { name: new RegExp(`^${room}`) })
        .click()
      return page
    }
    const ida = await open('ida')
    const omar = await open('omar')
    await ida.getByRole('textbox', { name: 'Message' }).fill(`Hello from ${name}`)
    await ida.keyboard.press('Enter')
    await omar.getByRole('log').getByText(`Hello from ${name}`, { exact: true }).waitFor()
    await ida.getByRole('log').getByText(`Hello from ${name}`, { exact: true }).waitFor()
    const style = await ida.evaluate("getComputedStyle(document.querySelector('.parley-bubble')).backgroundColor")
    assert.equal(style, 'rgb(15, 118, 110)', 'the theme of the example')
  })
})
