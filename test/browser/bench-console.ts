import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSignInLink } from '@parley/local/local-operator'
import { wholeNumber } from '@parley/local/whole-number'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import { writeNdjson } from '@parley/stack/write-ndjson'
import { Command } from 'commander'
import type { Page } from 'playwright-core'
import { startBenchStack } from './bench-stack.ts'
import { startChromium } from './chromium.ts'
import { browserCookie, signInByLink } from './operator-cookie.ts'

const { users, messages, rounds } = new Command('npm run bench:console --')
  .usage('[options]')
  .description(
    `Measures the console in Chromium, with a local gateway and realtime node and an app filled by parley import: the time from
navigation to a view until its data is painted, with the console's files in the browser's cache.`,
  )
  .option('--users <number>', 'users of the app', wholeNumber(100, 1_000_000), 100_000)
  .option('--messages <number>', 'messages, a tenth of them in one room', wholeNumber(1_000, 10_000_000), 300_000)
  .option('--rounds <number>', 'measurements per view', wholeNumber(1, 100), 5)
  .parse()
  .opts<{ users: number; messages: number; rounds: number }>()
const wantedMS = 300
const membersOfRoom = 10
const rooms = Math.max(2, Math.floor(users / membersOfRoom))
const results = join(import.meta.dirname, '../../bench/results')

/** The form that asks for a reason before a conversation is shown. */
const reasonField = 'form textarea'
/** Paths below the app, a selector that matches once the view is usable, and whether it first asks for a reason. */
const views: [name: string, address: string, shown: string, asksReason?: true][] = [
  ['overview', 'overview', '.card-value'],
  ['users', 'users', 'tbody tr'],
  ['users by name', 'users?q=User%2077', 'tbody tr'],
  ['users by last login', 'users?list=lastLogin', '.empty, tbody tr'],
  ['a user', 'users/user%207', '.facts'],
  ['rooms', 'rooms', 'tbody tr'],
  ['rooms by name', 'rooms?q=Room%2077', 'tbody tr'],
  ['members of a room', 'rooms/room%200?tab=members', 'tbody tr'],
  ['a conversation', 'rooms/room%200', '[role=log] article', true],
  ['reports', 'moderation', '.empty, article', true],
  ['search of messages', 'moderation?tab=search&keyword=word77', 'main .empty, main .sessions li', true],
  ['MODERATE', 'moderation?tab=hook', '.card-value'],
  ['timeline of a user', 'timeline?user=user%207', '.timeline-entry'],
  ['timeline of a room', 'timeline?room=room%200', '.timeline-entry'],
  ['calls', 'delivery', '.empty, tbody tr'],
  ['keys', 'developers', '.empty, tbody tr'],
  ['configuration', 'developers?tab=config', 'main .empty, main tbody tr'],
  ['jobs', 'jobs', '.empty, tbody tr'],
  ['settings', 'settings', 'main form input'],
  ['audit log', 'audit', '.empty, tbody tr'],
  ['operators', 'operators', 'tbody tr'],
]

const stack = await startBenchStack('bench-console')
const browser = await startChromium('browser')
try {
  await fill()
  const link = await makeSignInLink(stack.servers.mongoUrl, stack.url)
  const { cookie } = await signInByLink(stack.url, link.slice(link.indexOf('#link=') + 6))
  const context = await browser.newContext({
    viewport: { width: 1280, height: 720 },
    storageState: { cookies: [browserCookie(cookie)], origins: [] },
  })
  const page = await context.newPage()
  await page.addInitScript(() => {
    Object.assign(window, {
      paintedWith: (shown: string, sinceMS: number) =>
        new Promise<number>((resolve) => {
          const look = () => {
            const isLoading = document.querySelector('.mantine-Skeleton-root') !== null
            if (isLoading || document.querySelector(shown) === null) requestAnimationFrame(look)
            else requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - sinceMS)))
          }
          look()
        }),
    })
  })
  const base = `${stack.url}/console/apps/${encodeURIComponent(stack.keys.app)}`
  console.log(`\n${users} users, ${rooms} rooms, ${messages} messages\n`)
  console.log(['view'.padEnd(22), 'median ms'.padStart(10), 'worst'.padStart(8), 'first'.padStart(8)].join(' '))
  const measured: { view: string; medianMS: number; worstMS: number; firstMS: number }[] = []
  for (const [view, address, shown, asksReason] of views) {
    // The first time also loads the view's code.
    const firstMS = await openView(page, `${base}/${address}`, shown, asksReason)
    const times: number[] = []
    for (let round = 0; round < rounds; round++)
      times.push(await openView(page, `${base}/${address}`, shown, asksReason))
    times.sort((a, b) => a - b)
    const [medianMS = 0, worstMS = 0] = [times[Math.floor(times.length / 2)], times.at(-1)]
    measured.push({ view, medianMS, worstMS, firstMS })
    const columns = [medianMS.toFixed(0).padStart(10), worstMS.toFixed(0).padStart(8), firstMS.toFixed(0).padStart(8)]
    console.log([view.padEnd(22), ...columns].join(' '))
  }
  mkdirSync(results, { recursive: true })
  writeFileSync(join(results, 'console.json'), `${JSON.stringify({ users, rooms, messages, measured }, null, 2)}\n`)
  const slow = measured.filter(({ medianMS }) => medianMS > wantedMS).map(({ view }) => view)
  console.log(`\ngoal: each median at most ${wantedMS} ms; over it: ${slow.join(', ') || 'none'}`)
  process.exitCode = slow.length === 0 ? 0 : 1
} finally {
  await browser.close()
  await stack.stop()
}

/**
 * Milliseconds to the frame with the data, from the start of the navigation, or from giving the reason if the view asks
 * for one. The page itself waits for the selectors: Playwright would take time from the view while it waits.
 */
async function openView(page: Page, address: string, shown: string, asksReason = false): Promise<number> {
  await page.goto(address)
  const painted = (selector: string, sinceMS: number) =>
    page.evaluate(
      ([wanted, since]) =>
        (window as unknown as { paintedWith: (shown: string, sinceMS: number) => Promise<number> }).paintedWith(
          wanted,
          since,
        ),
      [selector, sinceMS] as const,
    )
  if (!asksReason) return painted(shown, 0)
  await painted(reasonField, 0)
  await page.locator(reasonField).fill('bench')
  const sinceMS = await page.evaluate(() => performance.now())
  await page.getByRole('button', { name: 'Read the conversation' }).click()
  return painted(shown, sinceMS)
}

async function fill(): Promise<void> {
  mkdirSync(results, { recursive: true })
  const file = join(results, 'console.ndjson')
  await writeNdjson(file, importLines())
  execFileSync(process.execPath, [parleyFile, 'import', file, '--app', stack.keys.app], {
    env: { ...commandEnv, PARLEY_MONGO_URL: stack.servers.mongoUrl },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  rmSync(file)
}

function* importLines(): Generator<object> {
  const memberOf = (room: number, member: number) => `user ${(room * membersOfRoom + member) % users}`
  for (let n = 0; n < users; n++) yield { type: 'user', _id: `user ${n}`, nickname: `User ${n}` }
  for (let r = 0; r < rooms; r++) yield { type: 'room', _id: `room ${r}`, roomType: 'group', name: `Room ${r}` }
  for (let r = 0; r < rooms; r++) {
    for (let m = 0; m < membersOfRoom; m++) yield { type: 'membership', room: `room ${r}`, user: memberOf(r, m) }
  }
  const fromMS = Date.now() - 86_400_000
  for (let n = 0; n < messages; n++) {
    const room = n % 10 === 0 ? 0 : 1 + (n % (rooms - 1))
    const of = { _id: `message ${n}`, room: `room ${room}`, sender: memberOf(room, n % membersOfRoom) }
    const createdAt = fromMS + Math.floor((n / messages) * 86_000_000)
    yield { type: 'message', ...of, message: `word${n % 1_000} and more`, messageType: 'text', createdAt }
  }
}
