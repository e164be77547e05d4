// The first page of `npm start`: two demo users side by side, with things to try.
const byId = (id) => document.getElementById(id)
const users = new Map()

function say(text) {
  byId('said').textContent = text
}

async function ask(path, body) {
  const answer = await fetch(path, {
    ...(body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return answer.json()
}

/** Tokens ended from outside, for example by a curl line that issues a new token for the user. */
const ended = new Set()

async function tokenOf(user, refused, last) {
  if (refused && !ended.has(last)) {
    // "Try again" in the chat gets a new token.
    ended.add(last)
    return last
  }
  return (await ask('/first-page/token', { user, refused: last })).token
}

function addUser({ id, clientKey, room }) {
  const card = byId('user').content.cloneNode(true).firstElementChild
  const [title, node, button] = ['h2', '.node', 'button'].map((selector) => card.querySelector(selector))
  title.textContent = id
  button.setAttribute('aria-label', `Kill the node of ${id}`)
  const { frame } = parleyChat.open({
    element: card.querySelector('.chat'),
    title: `The chat of ${id}`,
    clientKey,
    room,
    token: ({ refused, last }) => tokenOf(id, refused, last),
  })
  frame.name = `parley-${id}`
  button.addEventListener('click', () => {
    const { node: killed } = users.get(id)
    button.disabled = true
    ask('/first-page/kill', { node: killed }).then(
      () => say(`${killed} is killed. It restarts in a moment.`),
      ({ message }) => say(message),
    )
  })
  users.set(id, { card, label: node, button, node: undefined })
  byId('users').append(card)
}

async function look() {
  const { nodes, metrics } = await ask('/first-page/nodes')
  for (const [id, user] of users) {
    user.node = nodes[id]
    user.label.textContent = user.node ? `on ${user.node}` : 'connecting…'
    user.button.disabled = !user.node
  }
  const links = metrics.map(({ name, url }) => {
    const link = document.createElement('a')
    link.href = url
    link.textContent = name
    return [' ', link]
  })
  byId('metrics').replaceChildren('Metrics:', ...links.flat())
}

async function lookAgain() {
  await look().catch(() => undefined)
  setTimeout(lookAgain, 1_000)
}

async function start() {
  const { demo, curl } = await ask('/first-page/demo')
  demo.forEach(addUser)
  byId('curl').textContent = curl
  byId('copy').addEventListener('click', () => {
    navigator.clipboard.writeText(curl).then(
      () => say('Copied: paste it into a terminal.'),
      () => say('The browser could not copy it.'),
    )
  })
  await lookAgain()
}

start().catch(({ message }) => say(message))
