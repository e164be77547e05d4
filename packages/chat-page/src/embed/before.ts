/** Inlined into the HTML, before everything else: the gateway allows it by its hash. */

const given = new URLSearchParams(location.search)
// A fragment goes to no server, so no proxy logs it.
const inFragment = new URLSearchParams(location.hash.slice(1))
if (inFragment.has('token')) for (const [name, value] of inFragment) given.set(name, value)
// The same page with another fragment is not loaded again by itself.
addEventListener('hashchange', () => {
  if (new URLSearchParams(location.hash.slice(1)).has('token')) location.reload()
})
// A frame's name stays over its reload: by it frames of one tab, which share their storage, have their own parameters.
if (window.parent !== window && window.name === '') window.name = `parley-${Math.random().toString(36).slice(2)}`
const storageKey = `parley.chat.${window.name}`

// The token is a secret: it leaves the address and the history, whether or not the files of the page arrive.
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
    // Blocked: a reload asks for the token again.
  }
}

function isKept(): boolean {
  try {
    return given.has('host') || sessionStorage.getItem(storageKey) !== null
  } catch {
    return false
  }
}

// Files of another release, as in a rolling update: the page is loaded again, once.
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
