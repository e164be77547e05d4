import { createClient } from '@parley/client'
import { render } from 'preact'
import { App } from './app/app.tsx'
import { FullPage } from './app/full-page.tsx'
import { keepAlso, showClientKey, takeParameters } from './page-parameters.ts'
import { textsOf } from './texts/texts.ts'

/** The hosted chat page (docs/reference/chat-page.md). */
const parameters = takeParameters()
const { token, clientKey, lang, theme } = parameters
const texts = textsOf(lang)
document.documentElement.lang = lang === 'zh' ? 'zh-CN' : 'en'
if (theme !== 'auto') document.documentElement.dataset['theme'] = theme
document.title = texts.chats

const page = document.getElementById('page')
if (page) {
  page.replaceChildren()
  render(
    token === undefined || token === '' ? <FullPage title={texts.noToken} hint={texts.noTokenHint} /> : start(token),
    page,
  )
}

function start(token: string) {
  const client = createClient({
    url: location.origin,
    token,
    ...(clientKey !== undefined && { clientKey }),
    ...storageHere(),
  })
  client.clientKey.subscribe((key) => {
    keepAlso({ clientKey: key })
    showClientKey(key)
  })
  return <App client={client} parameters={parameters} texts={texts} />
}

/** Unsent messages survive a reload where the browser allows it. */
function storageHere(): { storage?: Storage } {
  try {
    return { storage: localStorage }
  } catch {
    return {}
  }
}
