// Beside Swagger UI: the demo's keys on the local stack, and the events of the socket after the operations.
const bundle = window.SwaggerUIBundle

window.SwaggerUIBundle = Object.assign((config) => {
  const ui = bundle({ ...config, onComplete: () => void Promise.all([fillKeys(ui), showEvents()]) })
  return ui
}, bundle)

/** Only the local stack has keys to show; a gateway alone returns none. */
async function fillKeys(ui) {
  const response = await fetch('/docs/keys.json')
  if (!response.ok) return
  for (const [scheme, value] of Object.entries(await response.json())) ui.preauthorizeApiKey(scheme, value)
}

async function showEvents() {
  const { channels, operations, components } = await (await fetch('/asyncapi.json')).json()
  const section = element('section', { className: 'events', id: 'events' }, element('h2', {}, 'Events of the socket'))
  const about = 'They arrive over Socket.IO once auth2 was acknowledged. The whole contract: '
  section.append(element('p', {}, about, element('a', { href: '/asyncapi.json' }, 'asyncapi.json')))
  for (const [action, title] of [
    ['send', 'Parley emits'],
    ['receive', 'Clients emit'],
  ]) {
    section.append(element('h3', {}, title))
    for (const operation of Object.values(operations).filter((one) => one.action === action)) {
      section.append(toRow(operation, channels.socket.messages, components))
    }
  }
  document.querySelector('#swagger-ui').append(section)
}

function toRow(operation, messages, components) {
  const known = messages[operation.messages[0].$ref.split('/').at(-1)]
  const message = known.$ref ? components.messages[known.$ref.split('/').at(-1)] : known
  const example = message.examples?.[0]?.payload
  const row = element(
    'details',
    {},
    element('summary', {}, element('code', {}, message.name), ` ${operation.summary ?? ''}`),
  )
  row.append(element('pre', {}, JSON.stringify(example ?? message.payload, null, 2)))
  return row
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}
