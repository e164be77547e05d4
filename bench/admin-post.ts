/** Posts to a gateway on this machine with the API key; returns `result`. @throws unless the status is 2xx */
export function adminPost(
  port: number | undefined,
  apiKey: string,
): (path: string, body: object) => Promise<Record<string, unknown>> {
  const headers = { 'im-api-key': apiKey, 'content-type': 'application/json' }
  return async (path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return ((await response.json()) as { result: Record<string, unknown> }).result
  }
}
