// The hosted chat page: /chat?token=<the user's token>&clientKey=<the app's client key>[&room=<room ID>]
/* global io */
const parameters = new URLSearchParams(location.search)
const token = parameters.get('token') ?? ''
const clientKey = parameters.get('clientKey') ?? ''
const element = (id) => document.getElementById(id)
const state = { me: undefined, rooms: new Map(), current: undefined, messages: new Map() }

// The token is a secret: it does not stay in the address bar and the history.
history.replaceState(null, '', location.pathname)

async function api(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: {
      'IM-CLIENT-KEY': encodeURIComponent(clientKey),
      'IM-Authorization': encodeURIComponent(token),
      ...(state.me && { 'IM-CLIENT-ID': encodeURIComponent(state.me._id) }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { result, error } = await answer.json()
  if (error) throw new Error(error.message)
  return result
}

function say(text) {
  element('status').textContent = text
}

function showRooms() {
  const items = [...state.rooms.values()].map((room) => {
    const button = document.createElement('button')
    const name =
      room.name ||
      room.members
        .filter(({ _id }) => _id !== state.me._id)
        .map(nameOf)
        .join(', ') ||
      room._id
    button.append(name)
    button.setAttribute('aria-current', String(room._id === state.current))
    if (room.unread > 0) {
      const unread = document.createElement('span')
      unread.className = 'unread'
      unread.textContent = room.unread
      button.append(unread)
    }
    button.addEventListener('click', () => {
      open(room._id).catch(({ message }) => say(message))
    })
    const item = document.createElement('li')
    item.append(button)
    return item
  })
  element('rooms').replaceChildren(...items)
}

function nameOf({ _id, nickname }) {
  return nickname || _id
}

function textOf({ isDeleted, messageType, message }) {
  if (isDeleted) return 'deleted'
  if (messageType === 'recall') return 'recalled'
  return typeof message === 'string' ? message : (message?.text ?? JSON.stringify(message))
}

function showMessages() {
  const list = element('messages')
  const latest = [...state.messages.values()].sort((a, b) => a.seq - b.seq)
  const items = latest.map((message) => {
    const who = document.createElement('strong')
    who.textContent = nameOf(message.sender)
    const text = document.createElement('span')
    text.textContent = textOf(message)
    text.className = message.isDeleted ? 'deleted' : ''
    const item = document.createElement('li')
    item.append(who, ': ', text)
    return item
  })
  list.replaceChildren(...items)
  list.scrollTop = list.scrollHeight
  return latest.at(-1)
}

async function open(room) {
  state.current = room
  element('room').textContent = state.rooms.get(room)?.name || room
  const { data, userDeletedIDs } = await api('GET', `/rooms/${encodeURIComponent(room)}/messages/v3?limit=50`)
  if (state.current !== room) return
  const hidden = new Set(userDeletedIDs)
  state.messages = new Map(data.filter(({ _id }) => !hidden.has(_id)).map((message) => [message._id, message]))
  await markRead(showMessages())
  for (const input of element('send').elements) input.disabled = false
  showRooms()
}

async function markRead(message) {
  const room = state.rooms.get(state.current)
  if (!message || !room || room.unread === 0) return
  room.unread = 0
  await api('PUT', `/rooms/${encodeURIComponent(room._id)}/lastRead`, { message: message._id })
}

async function load() {
  state.me = await api('GET', '/me')
  element('me').textContent = nameOf(state.me)
  const { data } = await api('GET', '/rooms')
  state.rooms = new Map(data.map((room) => [room._id, room]))
  showRooms()
  const wanted = state.current ?? parameters.get('room') ?? data[0]?._id
  if (wanted && state.rooms.has(wanted)) await open(wanted)
}

async function enter(socket) {
  const { RC, error } = await socket.emitWithAck('auth2', token, { deviceId: `web-${socket.id}`, clientKey })
  if (RC !== 0) throw new Error(error.message)
  // What happened before, or while the connection was away.
  await load()
}

function listen() {
  const socket = io({ auth: { clientKey } })
  socket.on('connect', () => {
    enter(socket).then(
      () => say('Connected'),
      ({ message }) => say(message),
    )
  })
  socket.on('disconnect', () => say('Connection lost; reconnecting…'))
  socket.on('error', ({ error }) => say(error.message))
  socket.on('chat message', (message) => {
    const room = state.rooms.get(message.room)
    if (room && message.sender._id !== state.me._id) room.unread++
    if (message.room === state.current) {
      state.messages.set(message._id, message)
      markRead(showMessages()).catch((error) => say(error.message))
      element('typing').textContent = ''
    }
    showRooms()
  })
  socket.on('messageUpdated', (message) => {
    if (!state.messages.has(message._id)) return
    state.messages.set(message._id, message)
    showMessages()
  })
  socket.on('messageDeleted', ({ room, messageID }) => {
    if (room !== state.current) return
    for (const message of state.messages.values()) {
      if (messageID === '_all' || message._id === messageID) message.isDeleted = true
    }
    showMessages()
  })
  socket.on('room', () => load().catch((error) => say(error.message)))
  socket.on('typing', ({ room, sender }) => {
    if (room === state.current) element('typing').textContent = `${sender} is typing…`
  })
  return socket
}

const socket = listen()
element('text').addEventListener('input', () => socket.emit('typing', { room: state.current, message: '' }))
element('send').addEventListener('submit', (event) => {
  event.preventDefault()
  const message = element('text').value.trim()
  if (message !== '') send(message).catch((error) => say(error.message))
})

async function send(message) {
  const { RC, error } = await socket.emitWithAck('chat message', { room: state.current, message, messageType: 'text' })
  if (RC === 0) element('text').value = ''
  else say(error.message)
}
