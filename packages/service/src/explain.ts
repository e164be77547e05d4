import { SettingsError } from './settings.ts'

/**
 * The result of using a server or an address that the operator configures.
 * @param title the name of what is used
 * @param settings the settings that name it
 * @throws SettingsError with the title, the first line of the error's message and the variables of the settings
 */
export async function explain<T>(title: string, settings: readonly { env: string }[], work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const [message = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    const variables = settings.map(({ env }) => env).join(', ')
    throw new SettingsError(`${title}: ${message} (${variables})`, { cause: error })
  }
}
