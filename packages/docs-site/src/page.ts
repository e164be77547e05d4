import MiniSearch from 'minisearch'
import { searchOptions } from './search-options.ts'

/** URL of the search index, set at build time. */
declare const SEARCH_INDEX: string

interface Found {
  id: string
  title: string
  heading: string
  shown: string
}

const maxShown = 12

startMenu()
startSearch()

/** On narrow screens, a button opens the navigation. */
function startMenu(): void {
  const button = document.querySelector('#menu')
  const pages = document.querySelector('#pages')
  button?.addEventListener('click', () => {
    const isOpen = pages?.classList.toggle('open') ?? false
    button.setAttribute('aria-expanded', String(isOpen))
  })
  pages?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' })
}

function startSearch(): void {
  const field = document.querySelector<HTMLInputElement>('#search')
  const list = document.querySelector<HTMLUListElement>('#found')
  if (!field || !list) return
  let loading: Promise<MiniSearch> | undefined
  let chosen = -1

  const show = (rows: readonly HTMLElement[], isOpen: boolean) => {
    chosen = -1
    list.replaceChildren(...rows)
    list.hidden = !isOpen
    field.setAttribute('aria-expanded', String(isOpen))
    field.removeAttribute('aria-activedescendant')
  }
  const find = async () => {
    const words = field.value.trim()
    if (words === '') return show([], false)
    loading ??= loadIndex()
    const index = await loading.catch(() => {
      loading = undefined
    })
    if (field.value.trim() !== words) return
    if (!index) return show([note('The search index could not be loaded. Type again to retry.')], true)
    const found = index.search(words).slice(0, maxShown) as unknown as Found[]
    show(found.length > 0 ? found.map(row) : [note('Nothing found')], true)
  }
  const choose = (step: number) => {
    const rows = [...list.querySelectorAll('[role="option"]')]
    if (rows.length === 0) return
    chosen = (chosen + step + rows.length) % rows.length
    for (const [i, one] of rows.entries()) one.setAttribute('aria-selected', String(i === chosen))
    rows[chosen]?.scrollIntoView({ block: 'nearest' })
    field.setAttribute('aria-activedescendant', rows[chosen]?.id ?? '')
  }
  field.addEventListener('input', () => void find())
  field.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(1)
    else if (event.key === 'ArrowUp') choose(-1)
    else if (event.key === 'Enter') list.querySelectorAll<HTMLAnchorElement>('a')[Math.max(chosen, 0)]?.click()
    else if (event.key === 'Escape') show([], false)
    else return
    event.preventDefault()
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return
    event.preventDefault()
    field.focus()
  })
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Node && !list.contains(target) && target !== field) show([], false)
  })
}

async function loadIndex(): Promise<MiniSearch> {
  const response = await fetch(SEARCH_INDEX)
  if (!response.ok) throw new Error(`${SEARCH_INDEX} returned ${response.status}`)
  return MiniSearch.loadJSON(await response.text(), searchOptions)
}

function row({ id, title, heading, shown }: Found, i: number): HTMLElement {
  const link = element('a', '', id)
  link.append(element('b', heading === title ? title : `${title} › ${heading}`), element('span', shown))
  link.id = `found-${i}`
  link.role = 'option'
  link.tabIndex = -1
  const item = element('li', '')
  item.role = 'presentation'
  item.append(link)
  return item
}

function note(text: string): HTMLElement {
  const item = element('li', text)
  item.role = 'status'
  return item
}

function element(name: string, text: string, href?: string): HTMLElement {
  const made = document.createElement(name)
  made.textContent = text
  if (href !== undefined) made.setAttribute('href', href)
  return made
}
