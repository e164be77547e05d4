import assert from 'node:assert/strict'
import { type HostileInput, nestedJson } from './hostile-input.ts'
import type { Scene } from './test-scene.ts'

interface Answer {
  status: number
  body: { RC: number; error: { code: string; message: string }; result: unknown }
}

async function send(
  { gateway }: Scene,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<Answer> {
  const init = { method, headers: { ...headers, 'content-type': 'application/json' }, body }
  const answer = await fetch(gateway.url + path, init)
  return { status: answer.status, body: (await answer.json()) as Answer['body'] }
}

const assertRefused = ({ status, body }: Answer, what: string, ...codes: string[]) => {
  assert.ok(status >= 400 && status < 500, `${what}: ${status} ${JSON.stringify(body)}`)
  if (codes.length > 0) assert.ok(codes.includes(body.error.code), `${what}: ${JSON.stringify(body)}`)
}

/** Bodies with free JSON, by operation: the JSON text around a value. */
const places = (
  scene: Scene,
): {
  what: string
  method: string
  path: string
  headers: Record<string, string>
  body: (json: string) => string
}[] => [
  {
    ...{ what: 'extParams of a room', method: 'POST', path: '/rooms/', headers: scene.adminHeaders },
    body: (json) => `{"roomType":"group","members":["member"],"extParams":${json}}`,
  },
  {
    ...{ what: 'extParams of a change', method: 'PUT', path: `/rooms/${scene.room}`, headers: scene.adminHeaders },
    body: (json) => `{"extParams":${json}}`,
  },
  {
    ...{ what: 'a message', method: 'POST', path: '/messages', headers: scene.adminHeaders },
    body: (json) => `{"room":${JSON.stringify(scene.room)},"sender":"owner","messageType":"text","message":${json}}`,
  },
  {
    ...{ what: 'a preference', method: 'POST', path: '/me/pref/x', headers: scene.member.headers },
    body: (json) => `{"data":${json}}`,
  },
  {
    what: 'the configuration',
    method: 'POST',
    path: '/config',
    headers: scene.adminHeaders,
    body: (json) => `{"x":${json}}`,
  },
  {
    ...{ what: 'a push payload', method: 'POST', path: '/push/push2clients', headers: scene.adminHeaders },
    body: (json) => `{"clients":["member"],"payload":{"alert":${json}}}`,
  },
]

/** Bodies with hostile content. */
export const hostileBodies: HostileInput[] = [
  ...[1_000, 4_500, 10_000, 100_000].map((depth) => ({
    name: `JSON nested ${depth} deep is 400 wherever it stands`,
    async attack(scene: Scene) {
      for (const { what, method, path, headers, body } of places(scene)) {
        assertRefused(await send(scene, method, path, headers, body(nestedJson(depth))), what, 'INVALID_BODY')
        assertRefused(
          await send(scene, method, path, headers, body(`${'['.repeat(depth)}${']'.repeat(depth)}`)),
          what,
          'INVALID_BODY',
        )
      }
    },
  })),
  {
    name: 'bodies that are not JSON objects are 400 in every operation with a body',
    async attack(scene) {
      for (const { what, method, path, headers } of places(scene)) {
        for (const body of ['[]', 'null', '1', '"x"', '{', '{"a":1}}', '\u0000', '{"a":NaN}']) {
          assertRefused(await send(scene, method, path, headers, body), `${what}: ${body}`)
        }
      }
    },
  },
  {
    name: 'numeric fields refuse numbers of odd size or form; large free numbers count by their length',
    async attack(scene) {
      for (const number of ['1e400', '-1e400', '-0.5', '12345678901234567890', '9'.repeat(100_000)]) {
        const body = `{"room":"${scene.room}","sender":"owner","message":1.0,"messageType":"text","expiresInS":${number}}`
        assertRefused(await send(scene, 'POST', '/messages', scene.adminHeaders, body), number.slice(0, 30))
      }
      for (const number of ['1'.repeat(900_000), `[${'1.0,'.repeat(200_000)}1.0]`, `[${'-0,'.repeat(300_000)}1]`]) {
        const body = `{"room":"${scene.room}","sender":"owner","messageType":"text","message":${number}}`
        const answer = await send(scene, 'POST', '/messages', scene.adminHeaders, body)
        assertRefused(answer, number.slice(0, 30), 'MESSAGE_TOO_LARGE')
      }
    },
  },
  {
    name: 'operators in place of values are refused by type, and match nothing',
    async attack(scene) {
      const operator = '{"$ne":null}'
      const { adminHeaders: admin, member, room } = scene
      const refused: [string, string, Record<string, string>, string][] = [
        ['DELETE', '/admin/clients/member/token', admin, `{"token":${operator}}`],
        ['POST', '/messages', admin, `{"room":${operator},"sender":"owner","message":"x","messageType":"text"}`],
        ['POST', '/messages', admin, `{"room":"${room}","sender":${operator},"message":"x","messageType":"text"}`],
        ['POST', '/badges/byRoomTags', member.headers, `{"tags":${operator}}`],
        ['PUT', `/rooms/${room}/lastRead`, member.headers, `{"message":${operator}}`],
        ['POST', '/me/subscribe', member.headers, `{"type":"ios","token":${operator},"deviceId":"x"}`],
        ['POST', '/admin/groups', admin, `{"nickname":"x","members":${operator}}`],
      ]
      for (const [method, path, headers, body] of refused) {
        const answer = await send(scene, method, path, headers, body)
        assert.equal(answer.status, 400, `${method} ${path} ${body}: ${JSON.stringify(answer.body)}`)
      }
    },
  },
  {
    name: 'a batch that would grow a thousandfold is refused before it grows',
    async attack(scene) {
      const text = '$x$'.repeat(20_000)
      const recipient = { receiver: 'member', $x$: 'y'.repeat(4_000) }
      const body = JSON.stringify({
        ...{ message: text, messageType: 'text', sender: 'owner' },
        paras: Array.from({ length: 100 }, () => recipient),
      })
      const { status, body: answer } = await send(scene, 'POST', '/messages/batch', scene.adminHeaders, body)
      if (status === 200) {
        const results = answer.result as { error?: { code: string } }[]
        assert.equal(results.length, 100)
        for (const { error } of results) assert.equal(error?.code, 'MESSAGE_TOO_LARGE')
      } else assert.equal(status, 413, JSON.stringify(answer))
    },
  },
  {
    name: 'lists over their limit are refused',
    async attack(scene) {
      const ids = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => `u${i}`))
      const { adminHeaders: admin, room, member } = scene
      const refused: [string, string, Record<string, string>, string][] = [
        ['POST', '/rooms/', admin, `{"roomType":"group","members":${ids(100_001)}}`],
        [
          'POST',
          '/messages',
          admin,
          `{"room":"${room}","sender":"owner","message":"x","messageType":"text","mentions":${ids(20_000)}}`,
        ],
        [
          'POST',
          '/admin/clients/list',
          admin,
          JSON.stringify({ data: Array.from({ length: 1_001 }, (_, i) => ({ _id: `u${i}` })) }),
        ],
        ['POST', '/config', admin, `{"censorship":{"keywords":${ids(10_001)}}}`],
        ['POST', '/messages/user-delete', member.headers, `{"room":"${room}","messages":${ids(60_000)}}`],
      ]
      for (const [method, path, headers, body] of refused) {
        const answer = await send(scene, method, path, headers, body)
        assert.ok(answer.status === 400 || answer.status === 413, `${path}: ${answer.status}`)
      }
    },
  },
  {
    name: 'bodies over 1 MiB are 413, and the response arrives however the body comes',
    async attack(scene) {
      const large = JSON.stringify({ x: 'y'.repeat(3 * 1024 * 1024) })
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => send(scene, 'POST', '/config', scene.adminHeaders, large)),
      )
      for (const answer of answers) {
        assert.equal(answer.status, 413)
        assert.equal(answer.body.error.code, 'BODY_TOO_LARGE')
      }
    },
  },
  {
    name: 'IDs that are empty, too long or have control characters are refused',
    async attack(scene) {
      for (const id of ['', 'a\u0000b', 'a\nb', 'x'.repeat(129), '\u007f']) {
        const answer = await send(
          scene,
          'POST',
          '/admin/clients',
          scene.adminHeaders,
          JSON.stringify({ _id: id, issueAccessToken: true }),
        )
        assert.equal(answer.status, 400, JSON.stringify(id))
      }
    },
  },
]
