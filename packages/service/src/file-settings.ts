import { z } from 'zod'
import type { SettingsDefinition } from './settings.ts'

/** Where the files of messages are kept: of every service that reads or writes them. */
export const fileSettings = {
  folder: {
    env: 'PARLEY_FILES_FOLDER',
    help: 'the folder that files of messages are kept in; all gateways must share it',
    schema: z.string().min(1).default('.parley/files'),
  },
} satisfies SettingsDefinition
