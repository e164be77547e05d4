import { type Client, type ClientOptions, createClient } from '@parley/client'
import { createTabs } from '@parley/client/tabs'
import { render } from 'preact'
import { App } from './app/app.tsx'
import { FullPage } from './app/full-page.tsx'
import { markPointer } from './app/mark-pointer.ts'
import { createHost, type Host } from './embed/host.ts'
import { giveLinks } from './embed/serve-host.ts'
import { keepAlso, type PageParameters, showClientKey, takeParameters, toTheme } from './page-parameters.ts'
import { browserID } from './state/browser-id.ts'
import { createFileStorage } from './state/file-storage.ts'
import { endPushOf } from './state/notifications.ts'
import { parleyUrl } from './state/parley-url.ts'
import { storageOf } from './state/storage.ts'
import { createSpoken } from './texts/spoken.ts'

/** The hosted chat page (docs/reference/chat-page.md). */
const parameters = takeParameters()
const { token, clientKey, lang, theme } = parameters
const { documentElement } = document
markPointer(documentElement)
const spoken = createSpoken()
spoken.subscribe(({ lang, direction }) => {
  documentElement.lang = lang
  documentElement.dir = direction
})
setTheme(theme)

const page = document.getElementById('page')
if (page) void spoken.speak(lang).then(() => show(page))

function show(page: HTMLElement): void {
  const { texts } = spoken.get()
  document.title = texts.chats
  page.replaceChildren()
  const host = parameters.host === undefined ? undefined : createHost(parameters.host)
  if (host) render(start(page, host.token, host), page)
  else if (token) render(start(page, token), page)
  else render(<FullPage title={texts.noToken} hint={texts.noTokenHint} />, page)
}

function start(page: HTMLElement, token: ClientOptions['token'], host?: Host) {
  const storage = storageOf('localStorage')
  // A host page has its own service worker for push.
  const deviceID = host ? undefined : browserID(storage)
  const tabs = createTabs()
  const client = createClient({
    url: parleyUrl(),
    ...{ token, tabs },
    // A browser's tabs are one device, which gets no push while a tab is connected.
    ...(deviceID !== undefined && { deviceID, sharesDevice: true }),
    ...(clientKey !== undefined && { clientKey }),
    // Unsent messages survive a reload if the browser allows storage.
    ...(storage && { storage }),
  })
  if (host) obey(host, page, client)
  else
    client.clientKey.subscribe((key) => {
      keepAlso({ clientKey: key })
      showClientKey(key)
    })
  const push = typeof token === 'string' && deviceID !== undefined ? { token, deviceID } : undefined
  return <App {...{ client, parameters, host, spoken, push, mayNotify: () => tabs.mayNotify() }} />
}

/** Follows the host's changes of theme, language and texts, and its logout. */
function obey(host: Host, page: HTMLElement, client: Client): void {
  host.on('theme', ({ theme }) => setTheme(toTheme(theme)))
  host.on('language', ({ language }) => void spoken.speak(language))
  host.on('texts', ({ texts }) => spoken.setTextsOfPage(texts))
  host.on('logOut', () => {
    const { texts } = spoken.get()
    void client.logOut()
    render(<FullPage title={texts.signedOut} hint={texts.signedOutHint} />, page)
    // The host then removes the frame.
    void Promise.allSettled([forgetSession(), endPushOf(client)]).finally(() => host.send({ type: 'closed' }))
  })
  if (parameters.givesLinks) giveLinks(host)
}

/** Removes the stored parameters, drafts and files of this tab. */
async function forgetSession(): Promise<void> {
  const kept = storageOf('sessionStorage')
  for (const name of Object.keys(kept ?? {})) if (name.startsWith('parley.')) kept?.removeItem(name)
  // Without IndexedDB there is nothing to clear.
  await createFileStorage()
    .clear()
    .catch(() => undefined)
}

function setTheme(theme: PageParameters['theme']): void {
  const { dataset } = document.documentElement
  if (theme === 'auto') delete dataset['theme']
  else dataset['theme'] = theme
}
