import { baseUrl } from '../../api.ts'

export interface Parameter {
  in: string
  name: string
  description?: string
  example?: string | number
}

/** Typed values of parameters by name. Empty ones are left out. */
export type Values = Readonly<Record<string, string>>

export interface HttpRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
}

/** The request of an operation such as `GET /rooms/{id}`, without a key. */
export function httpRequestOf(
  operation: string,
  parameters: readonly Parameter[],
  values: Values,
  body: string | undefined,
): HttpRequest {
  const [method = 'GET', path = ''] = operation.split(' ')
  const given = (place: string): Record<string, string> => {
    const isGiven = ([typed, value]: [string, string]) =>
      value !== '' && parameters.some(({ in: at, name }) => at === place && name === typed)
    return Object.fromEntries(Object.entries(values).filter(isGiven))
  }
  const query = new URLSearchParams(given('query')).toString()
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(values[name] ?? ''))
  return {
    method,
    url: `${baseUrl}${filled}${query === '' ? '' : `?${query}`}`,
    headers: { ...given('header'), ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body }),
  }
}

/** A curl command with single quotes. The key is a variable, so that it stays out of the shell history. */
export function curlOf({ method, url, headers, body }: HttpRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)} -H "IM-API-KEY: $PARLEY_API_KEY"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ].join(' ')
}
