/** @throws the connection error, with the server's name before its message */
export async function reach<T>(title: string, connecting: Promise<T>): Promise<T> {
  try {
    return await connecting
  } catch (error) {
    const failed = error instanceof Error ? error : new Error(String(error))
    // As the cause of a new error, the log would repeat its message.
    failed.message = `${title}: ${failed.message}`
    throw failed
  }
}
