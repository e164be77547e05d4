/** Inlined at the start of the HTML. The gateway's CSP allows it by its hash. */

const given = new URLSearchParams(location.search)
// A fragment is not sent to servers, so no proxy logs the token.
const inFragment = new URLSearchParams(location.hash.slice(1))
if (inFragment.has('token')) for (const [name, value] of inFragment) given.set(name, value)
// Browsers do not reload a page when only the fragment changes.
addEventListener('hashchange', () => {
  if (new URLSearchParams(location.hash.slice(1)).has('token')) location.reload()
})
// A frame's name survives its reload. It separates the parameters of a tab's frames, which share their storage.
if (window.parent !== window && window.name === '') window.name = `parley-${Math.random().toString(36).slice(2)}`
const storageKey = `parley.chat.${window.name}`

// The token is a secret: remove it from the URL and history, even if the page's files fail to load.
if (given.has('token')) {
  window.parleyGiven = Object.fromEntries(given)
  keep()
  const clientKey = given.get('clientKey')
  const query = clientKey === null ? '' : `?${new URLSearchParams({ clientKey })}`
  history.replaceState(null, '', location.pathname + query)
}

function keep(): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(window.parleyGiven))
  } catch {
    // Storage is blocked: after a reload, the token is needed again.
  }
}

function isKept(): boolean {
  try {
    return given.has('host') || sessionStorage.getItem(storageKey) !== null
  } catch {
    return false
  }
}

// Files may be missing during a rolling update: reload the page once.
function filesAreMissing({ target }: Event): void {
  const isFile =
    target instanceof HTMLScriptElement || (target instanceof HTMLLinkElement && target.rel === 'stylesheet')
  if (!isFile || window.parleyRuns) return
  const state = history.state as { isReloaded?: boolean } | null
  if (state?.isReloaded || !isKept()) return say()
  history.replaceState({ ...state, isReloaded: true }, '')
  location.reload()
}

function say(): void {
  const page = document.getElementById('page')
  if (!page) return document.addEventListener('DOMContentLoaded', say)
  const isChinese = (given.get('lang') ?? navigator.language).startsWith('zh')
  page.textContent = isChinese
    ? '聊天页面无法加载，请稍后重新打开。'
    : 'The chat could not be loaded. Open it again in a moment.'
}

addEventListener('error', filesAreMissing, true)
