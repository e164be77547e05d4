/** @throws the connection error, prefixed with the server's name */
export function reach<T>(title: string, connecting: Promise<T>): Promise<T> {
  return connecting.catch((cause: unknown) => {
    throw new Error(`${title}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  })
}
