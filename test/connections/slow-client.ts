import { decode, type Heard } from '../catch-up/resuming-client.ts'

/** A long-polling client that reads queued packets only on demand. */
export async function openPolling(url: string, encoding: 'plain' | 'base64' = 'plain') {
  const transport = `${url}/socket.io/?EIO=4&transport=polling`
  const { sid } = JSON.parse((await (await fetch(transport)).text()).slice(1)) as { sid: string }
  const session = `${transport}&sid=${sid}`
  const heard: Heard[] = []
  const acknowledged: unknown[] = []
  const say = (packet: string) => fetch(session, { method: 'POST', body: packet })
  async function take(): Promise<void> {
    for (const packet of (await (await fetch(session)).text()).split('\u001e')) {
      if (packet === '2') await say('3')
      const [, kind, json = ''] = /^4([23])\d*(.*)$/s.exec(packet) ?? []
      const [first, payload] = json === '' ? [] : (JSON.parse(json) as [unknown, unknown])
      if (kind === '2') heard.push({ event: String(first), payload: decode(payload, encoding) })
      if (kind === '3') acknowledged.push(first)
    }
  }
  await say('40')
  await take()
  if (encoding !== 'plain') {
    await say(`420["conf",${JSON.stringify({ encoding })}]`)
    while (acknowledged.length === 0) await take()
    acknowledged.pop()
  }
  return { heard, acknowledged, say, take }
}
