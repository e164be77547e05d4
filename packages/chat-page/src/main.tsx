import { createClient } from '@parley/client'
import { render } from 'preact'
import { App } from './app/app.tsx'
import { FullPage } from './app/full-page.tsx'
import { markPointer } from './app/mark-pointer.ts'
import { keepAlso, showClientKey, takeParameters } from './page-parameters.ts'
import { storageOf } from './state/storage.ts'
import { createSpoken } from './texts/spoken.ts'

/** The hosted chat page (docs/reference/chat-page.md). */
const parameters = takeParameters()
const { token, clientKey, lang, theme } = parameters
markPointer()
const spoken = createSpoken()
if (theme !== 'auto') document.documentElement.dataset['theme'] = theme

const page = document.getElementById('page')
if (page) void spoken.speak(lang).then(() => show(page))

function show(page: HTMLElement): void {
  const { texts } = spoken.get()
  document.title = texts.chats
  page.replaceChildren()
  render(
    token === undefined || token === '' ? <FullPage title={texts.noToken} hint={texts.noTokenHint} /> : start(token),
    page,
  )
}

function start(token: string) {
  const storage = storageOf('localStorage')
  const client = createClient({
    url: location.origin,
    token,
    ...(clientKey !== undefined && { clientKey }),
    // Unsent messages survive a reload where the browser allows it.
    ...(storage && { storage }),
  })
  client.clientKey.subscribe((key) => {
    keepAlso({ clientKey: key })
    showClientKey(key)
  })
  return <App {...{ client, parameters, spoken }} />
}
